// SPDX-License-Identifier: MIT
import Glibc

/// A deliberate violation of the rules for process blocks. Made on the control side, so that on the audio thread
/// nothing but the one violation happens.
@safe struct Violation: @unchecked Sendable {
    enum Kind: String, CaseIterable {
        case none, malloc, lock, syscall, retain, exclusivity
    }

    let kind: Kind
    private let escape: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let object: Unmanaged<Counter>

    // @unchecked: only the audio thread uses what the pointers lead to.
    init(_ kind: Kind) {
        self.kind = kind
        unsafe escape = .allocate(capacity: 1)
        unsafe escape.initialize(to: nil)
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe object = .passRetained(Counter())
    }

    func commit() {
        switch kind {
        case .none: break
        case .malloc:
            // It escapes, so that the optimiser cannot leave it out.
            unsafe escape.pointee = unsafe malloc(64)
            unsafe free(escape.pointee)
        case .lock:
            unsafe pthread_mutex_lock(mutex)
            unsafe pthread_mutex_unlock(mutex)
        case .syscall: _ = getpid()
        case .retain: _ = unsafe object.retain()
        case .exclusivity: unsafe object._withUnsafeGuaranteedRef { $0.increment() }
        }
    }
}

public final class Counter {
    public var value = 0

    public func increment() { opaque(&value) }
}

/// Unknown to the optimiser, which may therefore not prove exclusive access to the value.
@inline(never)
@_optimize(none)
private func opaque(_ value: inout Int) { value += 1 }
