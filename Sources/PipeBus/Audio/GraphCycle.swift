// SPDX-License-Identifier: MIT
import CRealtime

/// One graph cycle as a port's body sees it: the time, and a buffer for each channel of each lane. `crt_cycle.h` tells
/// what each field is.
///
/// - Realtime: valid only during the call that brings it.
typealias GraphCycle = crt_cycle

extension GraphCycle {
    var frameCount: Int {
        @_noLocks @inline(__always) get { unsafe Int(frames) }
    }

    var sampleRate: Int {
        @_noLocks @inline(__always) get { unsafe Int(rate) }
    }

    /// The inputs, once each has a buffer.
    var wholeInputs: UnsafePointer<UnsafeMutablePointer<Float>> {
        @_noLocks @inline(__always) get { unsafe UnsafeRawPointer(inputs).assumingMemoryBound(to: Buffer.self) }
    }

    /// The outputs, once each has a buffer.
    var wholeOutputs: UnsafePointer<UnsafeMutablePointer<Float>> {
        @_noLocks @inline(__always) get { unsafe UnsafeRawPointer(outputs).assumingMemoryBound(to: Buffer.self) }
    }

    private typealias Buffer = UnsafeMutablePointer<Float>
}
