// SPDX-License-Identifier: MIT
import CPipeWireShims

/// Calls back on the loop while a file descriptor is readable, until cancelled. The descriptor stays its owner's.
@safe package final class LoopReader {
    private var reader: OpaquePointer?
    private let readable: () -> Void

    package init(on loop: PipeWireLoop, descriptor: Int32, readable: @escaping () -> Void) {
        self.readable = readable
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe reader = pbpw_reader_new(
            loop.pointer, descriptor,
            { data in
                unsafe Unmanaged<LoopReader>.fromOpaque(data!).takeUnretainedValue().readable()
            }, me)
    }

    /// It does: without a descriptor or memory for it nothing is ever called back.
    package var isWatching: Bool { unsafe reader != nil }

    package func cancel() {
        guard let reader = unsafe reader else { return }
        unsafe self.reader = nil
        unsafe pbpw_reader_destroy(reader)
    }

    deinit { cancel() }
}
