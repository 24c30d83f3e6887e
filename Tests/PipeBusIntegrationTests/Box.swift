// SPDX-License-Identifier: MIT
import Synchronization

/// A value that a block leaves for a test.
final class Box<Value: Sendable>: Sendable {
    private let kept: Mutex<Value>

    init(_ value: Value) { kept = Mutex(value) }

    var value: Value {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
