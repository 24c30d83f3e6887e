// SPDX-License-Identifier: MIT

/// What a sound file says beside its sound. A file of another format keeps what it can hold of it.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SoundMetadata: Sendable, Hashable {
    /// The kind of a text.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum Text: Sendable, Hashable, CaseIterable {
        case title, copyright, software, artist, comment, date, album, license, trackNumber, genre
    }

    /// Texts of a person's or a program's, as the file has them: they may hold anything that is UTF-8.
    public var texts: [Text: String] = [:]
    /// Where each channel is played; empty where the file does not say.
    public var channelMap: [SoundChannel] = []
    /// The markers, in the order of the file.
    public var markers: [Marker] = []
    /// The loops of an instrument, in the order of the file: at most 16.
    public var loops: [Loop] = []
    /// libsndfile's other words on an instrument, without its loops; empty where there is none.
    var instrument: [UInt8] = []
    /// libsndfile's record of a broadcast (EBU Tech 3285); empty where there is none.
    var broadcast: [UInt8] = []

    /// A named place in a sound.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Marker: Sendable, Hashable {
        /// The frame before which it is: 0…2³²−1, as the file says.
        public var frame: Int
        /// Its name, at most 255 bytes.
        public var name: String

        /// A marker before a frame.
        public init(frame: Int, name: String) {
            self.frame = frame
            self.name = name
        }
    }

    /// A part of a sound that an instrument repeats.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Loop: Sendable, Hashable {
        /// Its first frame and its last one: each 0…2³²−1, as the file says.
        public var first, last: Int
        /// libsndfile's numbers of the direction (`SF_LOOP_FORWARD` and so on), and of the repetitions; 0 for no end.
        var mode: Int32, count: UInt32
    }

    /// No metadata.
    public init() {}

    /// The metadata of the same sound in the opposite direction: markers and loops are where their frames are then.
    ///
    /// - Parameter frameCount: of the sound.
    public func reversed(frameCount: Int) -> SoundMetadata {
        var result = self
        result.markers = markers.reversed().map { Marker(frame: max(frameCount - $0.frame, 0), name: $0.name) }
        result.loops = loops.map { loop in
            var loop = loop
            (loop.first, loop.last) = (max(frameCount - 1 - loop.last, 0), max(frameCount - 1 - loop.first, 0))
            return loop
        }
        return result
    }
}
