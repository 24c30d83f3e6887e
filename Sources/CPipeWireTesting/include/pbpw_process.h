// SPDX-License-Identifier: MIT
#pragma once

// pipe2() with O_CLOEXEC, which is declared for GNU sources only: with pipe() and fcntl() a program that another thread
// starts in between would inherit the ends and keep them open. 0 or -errno.
int pbpw_pipe(int ends[2]);

// `environ`, a global variable that Swift does not allow access to. Not while another thread changes it.
const char *const *pbpw_environment(void);

// A copy of the socket on which another process listens at a path, or -errno: the system may not permit it.
int pbpw_copy_listener(int pid, const char *path);

// Orphaned descendants become children of this process from now on. 0, or a negative errno.
int pbpw_adopt_orphans(void);
