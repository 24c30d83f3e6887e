// SPDX-License-Identifier: MIT
import CBenchmarkPeer
import PipeBus

/// A reader, and room for the longest block.
@safe struct ReadWork: ~Copyable {
    private var reader: Reader
    private let samples: UnsafeMutablePointer<Float>
    private static let longest = 8192

    init(_ reader: consuming Reader) {
        self.reader = reader
        unsafe samples = .allocate(capacity: Int(peer_channels) * Self.longest)
        unsafe samples.initialize(repeating: 0, count: Int(peer_channels) * Self.longest)
    }

    /// - Returns: whether there was as much.
    mutating func read(_ frames: Int) -> Bool {
        guard frames <= Self.longest else { return false }
        var span = unsafe MutableSpan(_unsafeStart: samples, count: Int(peer_channels) * frames)
        let result = reader.read(into: &span)
        return result.hasSound && result.lateFrames == 0
    }
}

/// Has a name of C, so that callgrind is sure to find it.
@_cdecl("read_pipebus_block")
func readBlock(_ context: UnsafeMutableRawPointer?, _ frames: Int32) -> Bool {
    unsafe context!.assumingMemoryBound(to: ReadWork.self).pointee.read(Int(frames))
}
