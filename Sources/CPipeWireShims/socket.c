// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "pbpw_core.h"

int pbpw_socket_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return -ENAMETOOLONG;
    }
    strcpy(address.sun_path, path);
    // Non-blocking: a daemon that hangs with a full queue is an error, and must not block this process.
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -errno;
    }
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

int pbpw_socket_listener(const char *path) {
    const int fd = pbpw_socket_connect(path);
    if (fd < 0) {
        return fd;
    }
    struct ucred listener = {0};
    socklen_t length = sizeof listener;
    const int result = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &listener, &length) < 0 ? -errno : listener.pid;
    close(fd);
    return result;
}
