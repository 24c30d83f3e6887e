// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CAppSupport.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

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
    if (child->parent != 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // It may have ended before.
        if (getppid() != child->parent) {
            _exit(127);
        }
    }
}
