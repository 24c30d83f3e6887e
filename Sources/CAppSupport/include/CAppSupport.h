// SPDX-License-Identifier: MIT
#ifndef CAPPSUPPORT_H
#define CAPPSUPPORT_H

#include <stdbool.h>

// Runs in the child of a fork, before the program is executed: only functions that are safe there are called. The process gets
// normal scheduling, signals as a program expects them, a session of its own, and nothing to read or to write to.
void pbapp_prepare_child(void *unused);

// Memory as a descriptor, empty, that can be sealed; -1: errno.
int pbapp_memory_create(void);
// Seals it: nobody can change it or its size any more. False: errno.
bool pbapp_memory_seal(int descriptor);
bool pbapp_memory_is_sealed(int descriptor);

#endif
