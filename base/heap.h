// The process's heap.
#ifndef ASYNCOPS_BASE_HEAP_H_
#define ASYNCOPS_BASE_HEAP_H_

namespace asyncops {

// Gives memory that was freed back to the operating system, where the C library can do that. Takes
// milliseconds, in which other threads may wait for memory.
void ReturnFreeMemory();

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_HEAP_H_
