// SPDX-License-Identifier: MIT
#ifndef CAPPLAUNCH_H
#define CAPPLAUNCH_H

// Runs in the child of a fork, before the program is executed: only functions that are safe there are called. The process gets
// normal scheduling, signals as a program expects them, a session of its own, and nothing to read or to write to.
void pbapp_prepare_child(void *unused);

#endif
