// SPDX-License-Identifier: MIT
#pragma once

// CRT_REALTIME marks a function that the audio thread may call: Swift then accepts it inside `@_noLocks`
// functions, and clang checks that its body does not block (-Wfunction-effects is an error in this package).
#if defined(__clang__)
#define CRT_SWIFT_NO_LOCKS __attribute__((swift_attr("@_noLocks")))
#if __has_attribute(nonblocking)
#define CRT_REALTIME CRT_SWIFT_NO_LOCKS __attribute__((nonblocking))
#define CRT_NONBLOCKING __attribute__((nonblocking))
#else
#define CRT_REALTIME CRT_SWIFT_NO_LOCKS
#define CRT_NONBLOCKING
#endif
#else
#define CRT_REALTIME
#define CRT_NONBLOCKING
#endif
