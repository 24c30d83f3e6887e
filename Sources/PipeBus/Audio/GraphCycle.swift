// SPDX-License-Identifier: MIT
import CRealtime

/// One graph cycle in a port's body: the time, and a buffer for each channel of each lane. `crt_cycle.h` describes the
/// fields.
///
/// A view of one pointer, the form in which C passes it.
///
/// - Realtime: valid only during the call that passes it.
@safe struct GraphCycle {
    private let cycle: UnsafePointer<crt_cycle>

    var position: UInt64 { @_noLocks @inline(__always) get { unsafe cycle.pointee.position } }
    var nanoseconds: UInt64 { @_noLocks @inline(__always) get { unsafe cycle.pointee.nanoseconds } }
    /// Number of frames, as in C.
    var frames: UInt32 { @_noLocks @inline(__always) get { unsafe cycle.pointee.frames } }
    /// The sample rate, in hertz, as in C.
    var rate: UInt32 { @_noLocks @inline(__always) get { unsafe cycle.pointee.rate } }
    var clock: UInt32 { @_noLocks @inline(__always) get { unsafe cycle.pointee.clock } }
    var isFreewheeling: Bool { @_noLocks @inline(__always) get { unsafe cycle.pointee.is_freewheeling } }
    var isDiscontinuous: Bool { @_noLocks @inline(__always) get { unsafe cycle.pointee.is_discontinuous } }

    var frameCount: Int { @_noLocks @inline(__always) get { Int(truncatingIfNeeded: frames) } }
    var sampleRate: Int { @_noLocks @inline(__always) get { Int(truncatingIfNeeded: rate) } }

    var inputs: CycleBuffers {
        @_noLocks @inline(__always) get { unsafe CycleBuffers(cycle.pointee.inputs, frameCount: frameCount) }
    }
    var outputs: CycleBuffers {
        @_noLocks @inline(__always) get { unsafe CycleBuffers(cycle.pointee.outputs, frameCount: frameCount) }
    }
}
