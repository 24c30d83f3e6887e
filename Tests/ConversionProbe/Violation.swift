// SPDX-License-Identifier: MIT
import Glibc

/// A deliberate violation of the rules for the audio thread. Made outside of it, so that nothing but the one violation
/// happens there.
@safe struct Violation {
    enum Kind: String {
        case none, malloc, lock, syscall
    }

    private let kind: Kind
    private let escape: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ kind: Kind) {
        self.kind = kind
        unsafe escape = .allocate(capacity: 1)
        unsafe escape.initialize(to: nil)
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
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
        }
    }
}
