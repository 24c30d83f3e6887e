// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "pbpw_process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int pbpw_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0;
}

const char *const *pbpw_environment(void) {
    return (const char *const *)environ;
}
