// What must hold in a simulated world. Whatever does not is a problem in its journal.
#ifndef ASYNCOPS_TESTS_SIM_INVARIANTS_H_
#define ASYNCOPS_TESTS_SIM_INVARIANTS_H_

#include "tests/sim/sim_user.h"
#include "tests/sim/world.h"

namespace asyncops::sim {

// At any moment at which no process is in the middle of something: the status of each operation is
// what its row says, and what waits says until when.
void CheckMoment(World* world);

// Once everything has come to its end, and before it is deleted: one effect for each operation that
// succeeded and none for one that failed for good; one end for each intent; the history explains
// every effect; the outbox is empty; watches missed nothing.
void CheckRest(World* world, const SimUser& user);

// Once everything is deleted: no object is left, and nothing outside that belonged to a resource
// but what was left behind on purpose.
void CheckGone(World* world, const SimUser& user);

// With the store closed: no credential and no token of a callback's URL is in a file of it.
void CheckFiles(World* world);

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_INVARIANTS_H_
