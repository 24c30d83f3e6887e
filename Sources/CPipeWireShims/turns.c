// SPDX-License-Identifier: MIT
// The length of the loop's turns.
//
// libpipewire handles the daemon's messages for as long as there are any. Another client may make the daemon send them
// without an end, and then nothing else would happen on the loop: no job, no timer, and nothing would be sent. So the
// connection pauses after a while, and goes on when the loop has looked at everything else.
#include <pipewire/pipewire.h>

#include "private.h"

enum { LONGEST_TURN = 10 * SPA_NSEC_PER_MSEC };

void pbpw_turns_count(struct pbpw_core *core) {
    struct pbpw_loop *loop = core->loop;
    if (core->is_paused || pbpw_now() - SPA_MAX(core->turn_began, loop->wait_ended) < LONGEST_TURN) {
        return;
    }
    core->is_paused = true;
    spa_list_append(&loop->paused, &core->paused_link);
    pw_core_set_paused(core->core, true);
    pbpw_loop_signal(loop);
}

static void unlist(struct pbpw_core *core) {
    core->is_paused = false;
    spa_list_remove(&core->paused_link);
}

void pbpw_turns_resume(struct pbpw_loop *loop) {
    // A core that pauses again is resumed in the next turn.
    struct spa_list paused = SPA_LIST_INIT(&paused);
    spa_list_insert_list(&paused, &loop->paused);
    spa_list_init(&loop->paused);
    struct pbpw_core *core;
    spa_list_consume(core, &paused, paused_link) {
        unlist(core);
        core->turn_began = pbpw_now();
        // This handles messages. libpipewire itself reports an error only where it handles them otherwise.
        int result = pw_core_set_paused(core->core, false);
        if (result < 0) {
            core->events->error(core->data, PW_ID_CORE, 0, result, "connection error");
        }
    }
}

void pbpw_turns_end(struct pbpw_core *core) {
    if (core->is_paused) {
        unlist(core);
    }
}
