// SPDX-License-Identifier: MIT
// A disk that stands still: preloaded into a program, it holds up every read of a file while there is a file of the name
// that PIPEBUS_SLOW_DISK has, for a minute at most.
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t read(int fd, void *bytes, size_t count) {
    const char *hold = getenv("PIPEBUS_SLOW_DISK");
    struct stat file;
    if (hold != NULL && fstat(fd, &file) == 0 && S_ISREG(file.st_mode)) {
        for (int turn = 0; turn < 60000 / 5 && access(hold, F_OK) == 0; turn++) {
            poll(NULL, 0, 5);
        }
    }
    return syscall(SYS_read, fd, bytes, count);
}
