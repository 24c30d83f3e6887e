// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "pbpw_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int pbpw_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0;
}

const char *const *pbpw_environment(void) {
    return (const char *const *)environ;
}

static bool listens_at(int socket, const char *path) {
    int is_listening = 0;
    socklen_t length = sizeof is_listening;
    struct sockaddr_un address = {0};
    socklen_t size = sizeof address;
    return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &length) == 0 && is_listening != 0 &&
           getsockname(socket, (struct sockaddr *)&address, &size) == 0 && strcmp(address.sun_path, path) == 0;
}

int pbpw_copy_listener(int pid, const char *path) {
    const int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0) {
        return -errno;
    }
    int result = -ENOENT;
    for (int number = 0; number < 256; number++) {
        const int copy = (int)syscall(SYS_pidfd_getfd, process, number, 0);
        if (copy < 0 && errno == EBADF) {
            continue;
        }
        if (copy < 0 || listens_at(copy, path)) {
            result = copy < 0 ? -errno : copy;
            break;
        }
        close(copy);
    }
    close(process);
    return result;
}

int pbpw_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ? -errno : 0;
}
