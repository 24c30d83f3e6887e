// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CAppSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool pbapp_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0;
}

// Starts a process that kills a process group when the other end of a pipe is closed. It is nobody's child, so that no program waits for it.
static void guard_group(pid_t group, int pipe) {
    pid_t middle = _Fork();
    if (middle > 0) {
        while (waitpid(middle, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (middle != 0) {
        return;
    }
    if (_Fork() == 0) {
        setpgid(0, 0);
        dup2(pipe, 0);
        // The other end too, and all else of the process that starts the program.
        close_range(1, ~0U, 0);
        char byte;
        while (read(0, &byte, 1) < 0 && errno == EINTR) {
        }
        kill(-group, SIGKILL);
    }
    _exit(0);
}

void pbapp_prepare_child(void *data) {
    const struct pbapp_child *child = data;
    // The thread that starts an app may have real-time priority, which would be the app's for good.
    struct sched_param normal = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER, &normal);
    if (getpriority(PRIO_PROCESS, 0) < 0) {
        setpriority(PRIO_PROCESS, 0, 0);
    }
    // Handlers end with the execution of another program, but what is ignored or blocked stays so.
    for (int number = 1; number < NSIG; number++) {
        if (number != SIGKILL && number != SIGSTOP) {
            signal(number, SIG_DFL);
        }
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // Control-C at the terminal of a patchbay is not for the app.
    setsid();
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(child->errors >= 0 ? child->errors : nothing, 2);
        if (nothing > 2) {
            close(nothing);
        }
    }
    if (child->folder != NULL && chdir(child->folder) != 0) {
        _exit(127);
    }
    if (child->guard >= 0) {
        guard_group(getpid(), child->guard);
    }
}
