// SPDX-License-Identifier: MIT
#ifndef CAPPSUPPORT_H
#define CAPPSUPPORT_H

#include <stdbool.h>
#include <stdint.h>

// How a program is started, beside what its entry says.
struct pbapp_child {
    // Its working folder; NULL: that of the entry.
    const char *folder;
    // What it writes its errors to; -1: nothing.
    int errors;
    // The end of a pipe, with whose other end it is killed, with all that is in its process group; -1: it goes on.
    int guard;
};

// Makes a pipe that no other program inherits: the end that is read, and the other one. False: errno.
bool pbapp_pipe(int ends[2]);

// Runs in the child of a fork, before the program is executed: only functions that are safe there are called. The process gets
// normal scheduling, signals as a program expects them, a session of its own, and nothing to read or to write to.
void pbapp_prepare_child(void *child);

// Removes a folder of this user with all that is in it. Links are not followed, also when somebody makes them meanwhile. False: something
// is left.
bool pbapp_remove_tree(const char *path);

// Memory as a descriptor, empty, that can be sealed; -1: errno.
int pbapp_memory_create(void);
// Seals it: nobody can change it or its size any more. False: errno.
bool pbapp_memory_seal(int descriptor);
bool pbapp_memory_is_sealed(int descriptor);

// A file without a name in a folder, to be written and read; -1: errno.
int pbapp_scratch_create(const char *folder);
// Gives a file without a name one that nothing has yet. False: errno.
bool pbapp_link(int descriptor, const char *path);
// Renames a file, which replaces another one or fails with EEXIST. False: errno.
bool pbapp_rename(const char *from, const char *to, bool replacing);
// Copies some bytes, at most a number, from a place in one file to the same place in another; shared where the file system can. How many
// they were; 0: the source ends there; -1: errno.
int64_t pbapp_copy(int source, int target, int64_t place, int64_t most);

#endif
