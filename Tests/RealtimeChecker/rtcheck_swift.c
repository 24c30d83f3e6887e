// SPDX-License-Identifier: MIT
// The entry points of the Swift runtime that real-time code must not reach: reference counting, allocation, dynamic
// exclusivity checks, lazy globals, casts, metadata and the concurrency runtime.
//
// Compiled Swift calls the runtime through the dynamic linker, so the definitions here come first. Two things are out
// of reach: calls that the standard library makes inside its own file, for example the retain when an Any that holds a
// String is copied (what such calls allocate or lock is still seen), and a standard library that was linked statically.
//
// Real functions are looked up when first called. A constructor would be too late: those of other libraries run Swift
// before it.
//
// The runtime has pointers for instruments (_swift_retain and others) that would see the inner calls too. Swift 6.3
// crashes on Linux once they are in use, with a small string for example: swiftlang/swift#88924.

#include "rtcheck.h"

// ---- Reference counting ----
//
// These may use a convention under which the callee preserves nearly all registers (arm64 does). Declaring a hook so
// and calling the real function in the ordinary way is right under both conventions. gcc 12 does not know the
// attribute; on x86-64, where Swift 6.3 uses the ordinary convention, it is not needed.

#if __has_attribute(preserve_most)
#define PRESERVE_MOST __attribute__((preserve_most))
#elif defined(__x86_64__)
#define PRESERVE_MOST
#else
#error "this architecture needs a compiler that knows preserve_most: use clang"
#endif

typedef rtcheck_word (*counting_function)(rtcheck_word object, rtcheck_word second);

#define COUNTING_HOOK(symbol)                                                                     \
    RTCHECK_SITE(site_of_##symbol, #symbol);                                                      \
    RTCHECK_EXPORT PRESERVE_MOST rtcheck_word hook_of_##symbol(                                   \
        rtcheck_word object, rtcheck_word second) __asm__(#symbol);                               \
    PRESERVE_MOST rtcheck_word hook_of_##symbol(rtcheck_word object, rtcheck_word second) {       \
        rtcheck_check(&site_of_##symbol);                                                         \
        counting_function real = (counting_function)rtcheck_real(&site_of_##symbol);              \
        return real(object, second);                                                              \
    }                                                                                             \
    _Static_assert(1, "takes the semicolon")

COUNTING_HOOK(swift_retain);
COUNTING_HOOK(swift_retain_n);
COUNTING_HOOK(swift_tryRetain);
COUNTING_HOOK(swift_release);
COUNTING_HOOK(swift_release_n);
COUNTING_HOOK(swift_nonatomic_retain);
COUNTING_HOOK(swift_nonatomic_retain_n);
COUNTING_HOOK(swift_nonatomic_release);
COUNTING_HOOK(swift_nonatomic_release_n);
COUNTING_HOOK(swift_bridgeObjectRetain);
COUNTING_HOOK(swift_bridgeObjectRetain_n);
COUNTING_HOOK(swift_bridgeObjectRelease);
COUNTING_HOOK(swift_bridgeObjectRelease_n);
COUNTING_HOOK(swift_nonatomic_bridgeObjectRetain);
COUNTING_HOOK(swift_nonatomic_bridgeObjectRetain_n);
COUNTING_HOOK(swift_nonatomic_bridgeObjectRelease);
COUNTING_HOOK(swift_nonatomic_bridgeObjectRelease_n);
COUNTING_HOOK(swift_unownedRetain);
COUNTING_HOOK(swift_unownedRetain_n);
COUNTING_HOOK(swift_unownedRetainStrong);
COUNTING_HOOK(swift_unownedRetainStrongAndRelease);
COUNTING_HOOK(swift_unownedRelease);
COUNTING_HOOK(swift_unownedRelease_n);
COUNTING_HOOK(swift_unownedCheck);
COUNTING_HOOK(swift_nonatomic_unownedRetain);
COUNTING_HOOK(swift_nonatomic_unownedRetain_n);
COUNTING_HOOK(swift_nonatomic_unownedRetainStrong);
COUNTING_HOOK(swift_nonatomic_unownedRetainStrongAndRelease);
COUNTING_HOOK(swift_nonatomic_unownedRelease);
COUNTING_HOOK(swift_nonatomic_unownedRelease_n);
COUNTING_HOOK(swift_weakInit);
COUNTING_HOOK(swift_weakAssign);
COUNTING_HOOK(swift_weakLoadStrong);
COUNTING_HOOK(swift_weakTakeStrong);
COUNTING_HOOK(swift_weakDestroy);
COUNTING_HOOK(swift_weakCopyInit);
COUNTING_HOOK(swift_weakTakeInit);
COUNTING_HOOK(swift_weakCopyAssign);
COUNTING_HOOK(swift_weakTakeAssign);
COUNTING_HOOK(swift_errorRetain);
COUNTING_HOOK(swift_errorRelease);

// ---- Allocation ----
//
// Objects on the stack (swift_initStackObject, swift_setDeallocating) are fine and stay allowed.

RTCHECK_HOOK(swift_allocObject);
RTCHECK_HOOK(swift_slowAlloc);
RTCHECK_HOOK(swift_slowDealloc);
RTCHECK_HOOK(swift_allocBox);
RTCHECK_HOOK(swift_deallocBox);
RTCHECK_HOOK(swift_allocError);
RTCHECK_HOOK(swift_deallocError);
RTCHECK_HOOK(swift_deallocObject);
RTCHECK_HOOK(swift_deallocUninitializedObject);
RTCHECK_HOOK(swift_deallocClassInstance);
RTCHECK_HOOK(swift_deallocPartialClassInstance);
RTCHECK_HOOK(swift_bufferAllocate);
RTCHECK_HOOK(swift_coroFrameAlloc);

// ---- Exclusivity checks and lazy globals ----

RTCHECK_HOOK(swift_beginAccess);
RTCHECK_HOOK(swift_once);
RTCHECK_HOOK(swift_initStaticObject);

// ---- Casts, metadata and witness tables ----
//
// A second use often finds the result of the first in a cache; the first one allocates and takes locks.

RTCHECK_HOOK(swift_dynamicCast);
RTCHECK_HOOK(swift_dynamicCastClass);
RTCHECK_HOOK(swift_dynamicCastClassUnconditional);
RTCHECK_HOOK(swift_dynamicCastUnknownClass);
RTCHECK_HOOK(swift_dynamicCastUnknownClassUnconditional);
RTCHECK_HOOK(swift_dynamicCastMetatype);
RTCHECK_HOOK(swift_dynamicCastMetatypeUnconditional);
RTCHECK_HOOK(swift_conformsToProtocol);
RTCHECK_HOOK(swift_conformsToProtocol2);
RTCHECK_HOOK(swift_conformsToProtocolCommon);
RTCHECK_HOOK(swift_conformsToProtocolWithExecutionContext);
RTCHECK_HOOK(swift_getGenericMetadata);
RTCHECK_HOOK(swift_getCanonicalSpecializedMetadata);
RTCHECK_HOOK(swift_getCanonicalPrespecializedGenericMetadata);
RTCHECK_HOOK(swift_allocateGenericValueMetadata);
RTCHECK_HOOK(swift_allocateGenericValueMetadataWithLayoutString);
RTCHECK_HOOK(swift_allocateGenericClassMetadata);
RTCHECK_HOOK(swift_allocateGenericClassMetadataWithLayoutString);
RTCHECK_HOOK(swift_getSingletonMetadata);
RTCHECK_HOOK(swift_getTypeByMangledNameInContext);
RTCHECK_HOOK(swift_getTypeByMangledNameInContext2);
RTCHECK_HOOK(swift_getTypeByMangledNameInContextInMetadataState);
RTCHECK_HOOK(swift_getTypeByMangledNameInContextInMetadataState2);
RTCHECK_HOOK(swift_getTypeByMangledNameInEnvironment);
RTCHECK_HOOK(swift_getTypeByMangledNameInEnvironmentInMetadataState);
RTCHECK_HOOK(swift_getWitnessTable);
RTCHECK_HOOK(swift_getAssociatedTypeWitness);
RTCHECK_HOOK(swift_getAssociatedConformanceWitness);
RTCHECK_HOOK(swift_getOpaqueTypeMetadata2);
RTCHECK_HOOK(swift_getOpaqueTypeConformance2);
RTCHECK_HOOK(swift_getFunctionTypeMetadata);
RTCHECK_HOOK(swift_getFunctionTypeMetadata0);
RTCHECK_HOOK(swift_getFunctionTypeMetadata1);
RTCHECK_HOOK(swift_getFunctionTypeMetadata2);
RTCHECK_HOOK(swift_getFunctionTypeMetadata3);
RTCHECK_HOOK(swift_getTupleTypeMetadata);
RTCHECK_HOOK(swift_getTupleTypeMetadata2);
RTCHECK_HOOK(swift_getTupleTypeMetadata3);
RTCHECK_HOOK(swift_getExistentialTypeMetadata);
RTCHECK_HOOK(swift_getExistentialMetatypeMetadata);
RTCHECK_HOOK(swift_getExtendedExistentialTypeMetadata);
RTCHECK_HOOK(swift_getMetatypeMetadata);
RTCHECK_HOOK(swift_getForeignTypeMetadata);
RTCHECK_HOOK(swift_getFixedArrayTypeMetadata);

// ---- Concurrency ----
//
// Starting, resuming or cancelling a task takes locks. Asking for the current executor is what an isolation check does,
// and a real-time function that needs one was compiled as part of an actor.

RTCHECK_HOOK(swift_task_create);
RTCHECK_HOOK(swift_task_create_common);
RTCHECK_HOOK(swift_task_enqueueGlobal);
RTCHECK_HOOK(swift_task_enqueueMainExecutor);
RTCHECK_HOOK(swift_task_cancel);
RTCHECK_HOOK(swift_task_isCurrentExecutor);
RTCHECK_HOOK(swift_task_isCurrentExecutorWithFlags);
RTCHECK_HOOK(swift_task_checkIsolated);
RTCHECK_HOOK(swift_continuation_resume);
RTCHECK_HOOK(swift_continuation_throwingResume);
RTCHECK_HOOK(swift_continuation_throwingResumeWithError);
RTCHECK_HOOK(swift_job_run);
