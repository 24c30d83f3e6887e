// SPDX-License-Identifier: MIT
#pragma once
#include "crt_attributes.h"
#include "crt_cycle.h"

// In debug builds, Swift retains and releases a stored closure when it is loaded and called. The audio thread must do
// neither. A *non-escaping* closure parameter is two plain words, function and context, and is never retained.
// The control side splits the user's closure into the two words once. The audio thread passes the words as the last
// two arguments of `body`. `body` is a Swift function whose last parameter is that non-escaping closure.
// `swiftcall` is clang's documented spelling of Swift's calling convention.
#if defined(__clang__)
#define CRT_SWIFTCALL __attribute__((swiftcall))
#define CRT_SWIFT_CONTEXT __attribute__((swift_context))
#else
#error "PipeBus needs clang: SwiftPM brings it"
#endif

struct crt_closure {
    const void *function;
    const void *context;
};

typedef void (*crt_body)(void *core, const struct crt_cycle *cycle, const void *function, const void *context,
                         CRT_SWIFT_CONTEXT const void *body_context) CRT_SWIFTCALL;

// The audio thread's call once in each cycle.
//
// It goes from C directly to `body`: every function in between is another page of code, which is cold by the time of
// the next cycle and costs 0.2 µs.
struct crt_call {
    struct crt_closure body;
    struct crt_closure block;
    void *core;
};

static inline void crt_run(const struct crt_call *call, const struct crt_cycle *cycle) CRT_SWIFT_NO_LOCKS {
    ((crt_body)call->body.function)(call->core, cycle, call->block.function, call->block.context, call->body.context);
}
