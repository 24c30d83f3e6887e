// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

// Gives a folder that lies too deep a name in the uppermost one. There is a descriptor open for each folder on the way down.
static bool raise_folder(int folder, const char *name, int top) {
    static const int most_names = 1 << 16;
    for (int number = 0; number < most_names; number++) {
        char raised[32];
        snprintf(raised, sizeof raised, "pipebus-%d", number);
        if (renameat2(folder, name, top, raised, RENAME_NOREPLACE) == 0) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

// Removes what is in a folder, by descriptors: whoever puts a link in the place of a folder meanwhile leads it nowhere else.
// Takes the descriptor. False: nothing was removed.
static bool empty_folder(int folder, int top, int depth) {
    static const int most_levels = 32;
    DIR *entries = fdopendir(folder);
    if (entries == NULL) {
        close(folder);
        return false;
    }
    bool is_changed = false;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
            continue;
        }
        if (unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0) {
            is_changed = true;
            continue;
        }
        // A program may leave a folder that nobody may write.
        fchmodat(folder, name, 0700, AT_SYMLINK_NOFOLLOW);
        if (depth >= most_levels) {
            is_changed = raise_folder(folder, name, top) || is_changed;
            continue;
        }
        int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0) {
            continue;
        }
        is_changed = empty_folder(inner, top, depth + 1) || is_changed;
        is_changed = unlinkat(folder, name, AT_REMOVEDIR) == 0 || is_changed;
    }
    closedir(entries);
    return is_changed;
}

bool pbapp_remove_tree(const char *path) {
    int top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0 && errno == EACCES && fchmodat(AT_FDCWD, path, 0700, AT_SYMLINK_NOFOLLOW) == 0) {
        top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (top < 0) {
        // Something else that has the name by now; a link is not followed.
        return unlink(path) == 0 || errno == ENOENT;
    }
    struct stat status;
    if (fstat(top, &status) != 0 || status.st_uid != geteuid()) {
        close(top);
        return false;
    }
    fchmod(top, 0700);
    bool is_changed = true;
    // Again for folders that were too deep.
    while (is_changed) {
        int folder = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        is_changed = folder >= 0 && empty_folder(folder, top, 0);
    }
    close(top);
    return rmdir(path) == 0 || errno == ENOENT;
}
