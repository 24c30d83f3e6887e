// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CAppSupport.h"

int pbapp_scratch_create(const char *folder) {
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

bool pbapp_link(int descriptor, const char *path) {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

bool pbapp_rename(const char *from, const char *to, bool replacing) {
    if (replacing) {
        return rename(from, to) == 0;
    }
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return true;
    }
    // A file system without the flag may have hard links, which replace nothing either.
    if (errno != EINVAL && errno != ENOSYS) {
        return false;
    }
    return link(from, to) == 0 && unlink(from) == 0;
}

int64_t pbapp_copy(int source, int target, int64_t place, int64_t most) {
    const size_t block = most < 1 << 24 ? (size_t)most : 1 << 24;
    off_t from = place;
    off_t to = place;
    ssize_t count = copy_file_range(source, &from, target, &to, block, 0);
    if (count >= 0 || (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)) {
        return count;
    }
    char bytes[1 << 16];
    size_t size = most < (int64_t)sizeof bytes ? (size_t)most : sizeof bytes;
    do {
        count = pread(source, bytes, size, place);
    } while (count < 0 && errno == EINTR);
    for (ssize_t done = 0; done < count;) {
        ssize_t written = pwrite(target, bytes + done, (size_t)(count - done), place + done);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        done += written > 0 ? written : 0;
    }
    return count;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    remove(path);
    return 0;
}

bool pbapp_remove_tree(const char *path) {
    nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS);
    return access(path, F_OK) != 0 && errno == ENOENT;
}
