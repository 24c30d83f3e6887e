// SPDX-License-Identifier: MIT
import CPipeWireShims

/// Calls back on the loop while a file descriptor is readable, until cancelled. It does not own the descriptor.
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

    /// Whether it works: without a descriptor or memory there is never a callback.
    package var isWatching: Bool { unsafe reader != nil }

    package func cancel() {
        guard let reader = unsafe reader else { return }
        unsafe self.reader = nil
        unsafe pbpw_reader_destroy(reader)
    }

    deinit { cancel() }
}
