// A listening socket for the references of the bench.
#ifndef ASYNCOPS_TESTS_BENCH_LOOPBACK_H_
#define ASYNCOPS_TESTS_BENCH_LOOPBACK_H_

namespace asyncops {

// Listens on the port of the loopback; the descriptor is the caller's, -1 where that cannot be.
int Listen(int port);

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_BENCH_LOOPBACK_H_
