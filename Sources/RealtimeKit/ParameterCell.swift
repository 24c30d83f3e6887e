// SPDX-License-Identifier: MIT
import Synchronization

/// The 64 bits of the value of a ``Parameter``.
@usableFromInline struct ParameterCell: ~Copyable, Sendable {
    // Relaxed throughout: no other value is published with it.
    private let bits: Atomic<UInt64>

    init(_ initial: UInt64) { bits = Atomic(initial) }

    @_noLocks
    @usableFromInline
    func load() -> UInt64 { bits.load(ordering: .relaxed) }

    func store(_ value: UInt64) { bits.store(value, ordering: .relaxed) }

    static func encode<Value: BitwiseCopyable>(_ value: Value) -> UInt64 {
        var bits: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &bits) { unsafe $0.storeBytes(of: value, as: Value.self) }
        return bits
    }

    @inlinable
    @inline(always)
    static func decode<Value: BitwiseCopyable>(_ bits: UInt64) -> Value {
        unsafe withUnsafeBytes(of: bits) { unsafe $0.loadUnaligned(as: Value.self) }
    }
}
