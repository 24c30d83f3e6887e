// SPDX-License-Identifier: MIT
import CSndFile

extension SoundMetadata {
    private static let codes: KeyValuePairs<Text, Int> = [
        .title: SF_STR_TITLE, .copyright: SF_STR_COPYRIGHT, .software: SF_STR_SOFTWARE, .artist: SF_STR_ARTIST,
        .comment: SF_STR_COMMENT, .date: SF_STR_DATE, .album: SF_STR_ALBUM, .license: SF_STR_LICENSE,
        .trackNumber: SF_STR_TRACKNUMBER, .genre: SF_STR_GENRE,
    ]
    /// The longest text that is taken over, in bytes. libsndfile does not open an AIFF file with one of 8192 bytes.
    private static let longestText = 8_000
    /// The largest number of markers, which is that of libsndfile for most formats.
    private static let largestMarkerCount = 100
    /// Of libsndfile's record of a broadcast, with the history of the encoding.
    private static let broadcastSize = MemoryLayout<SF_BROADCAST_INFO>.size + 8192
    /// Where `SF_INSTRUMENT` has its number of loops and its 16 loops, in bytes. Swift does not import their array, which has no named type.
    private static let loopCountPlace = 12
    private static let loopPlaces = stride(from: 16, to: 16 + 16 * 16, by: 16).map(\.self)

    // MARK: Reading

    /// - Parameter file: one that is open for reading.
    init(of file: OpaquePointer, channelCount: Int) {
        for (text, code) in Self.codes {
            guard let value = unsafe sf_get_string(file, Int32(code)) else { continue }
            let string = unsafe String(cString: value)
            if !string.isEmpty, string.utf8.count <= Self.longestText { texts[text] = string }
        }
        var map = [Int32](repeating: 0, count: channelCount)
        if unsafe Self.command(file, SFC_GET_CHANNEL_MAP_INFO, &map) { channelMap = map.map(SoundChannel.init) }
        var record = [UInt8](repeating: 0, count: Self.broadcastSize)
        if unsafe Self.command(file, SFC_GET_BROADCAST_INFO, &record) { broadcast = record }
        unsafe readMarkers(of: file)
        unsafe readInstrument(of: file)
    }

    private static func command<Element: BitwiseCopyable>(_ file: OpaquePointer, _ number: Int, _ data: inout [Element])
        -> Bool
    {
        unsafe data.withUnsafeMutableBytes {
            unsafe sf_command(file, Int32(number), $0.baseAddress, Int32($0.count)) == SF_TRUE
        }
    }

    private mutating func readMarkers(of file: OpaquePointer) {
        var count: [UInt32] = [0]
        guard unsafe Self.command(file, SFC_GET_CUE_COUNT, &count), count[0] > 0 else { return }
        let number = min(Int(count[0]), Self.largestMarkerCount)
        let size = MemoryLayout<SF_CUE_POINT>.stride
        var data = [UInt8](repeating: 0, count: 4 + number * size)
        guard unsafe Self.command(file, SFC_GET_CUE, &data) else { return }
        unsafe data.withUnsafeBytes { data in
            for place in stride(from: 4, through: data.count - size, by: size) {
                let cue = unsafe data.loadUnaligned(fromByteOffset: place, as: SF_CUE_POINT.self)
                let name = unsafe withUnsafeBytes(of: cue.name) {
                    unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                markers.append(Marker(frame: Int(cue.sample_offset), name: name))
            }
        }
    }

    private mutating func readInstrument(of file: OpaquePointer) {
        var data = [UInt8](repeating: 0, count: MemoryLayout<SF_INSTRUMENT>.size)
        guard unsafe Self.command(file, SFC_GET_INSTRUMENT, &data) else { return }
        instrument = data
        unsafe data.withUnsafeBytes { record in
            func field(_ place: Int) -> UInt32 { unsafe record.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
            // The file says how many, and libsndfile takes its word for it.
            for place in Self.loopPlaces.prefix(max(Int(Int32(bitPattern: field(Self.loopCountPlace))), 0)) {
                loops.append(
                    Loop(
                        first: Int(field(place + 4)), last: Int(field(place + 8)),
                        mode: Int32(bitPattern: field(place)), count: field(place + 12)))
            }
        }
    }

    // MARK: Writing

    /// Gives libsndfile what the format can hold, before any sound is written. It ignores the rest.
    func put(into file: OpaquePointer, channelCount: Int) {
        for (text, code) in Self.codes {
            guard let value = texts[text], value.utf8.count <= Self.longestText else { continue }
            unsafe sf_set_string(file, Int32(code), value)
        }
        if channelMap.count == channelCount {
            var map = channelMap.map(\.rawValue)
            _ = unsafe Self.command(file, SFC_SET_CHANNEL_MAP_INFO, &map)
        }
        // The last byte ends the history, whatever the file had there.
        if broadcast.count == Self.broadcastSize {
            var record = broadcast
            record[record.count - 1] = 0
            _ = unsafe Self.command(file, SFC_SET_BROADCAST_INFO, &record)
        }
        unsafe putMarkers(into: file)
        unsafe putInstrument(into: file)
    }

    private func putMarkers(into file: OpaquePointer) {
        let markers = markers.prefix(Self.largestMarkerCount)
        guard !markers.isEmpty else { return }
        let size = MemoryLayout<SF_CUE_POINT>.stride
        var data = [UInt8](repeating: 0, count: 4 + markers.count * size)
        unsafe data.withUnsafeMutableBytes { data in
            unsafe data.storeBytes(of: UInt32(markers.count), as: UInt32.self)
            for (number, marker) in markers.enumerated() {
                var cue = SF_CUE_POINT()
                cue.indx = Int32(number + 1)
                cue.position = UInt32(clamping: marker.frame)
                cue.sample_offset = UInt32(clamping: marker.frame)
                // "data", the chunk in which it is.
                cue.fcc_chunk = 0x6174_6164
                unsafe withUnsafeMutableBytes(of: &cue.name) { name in
                    unsafe name.copyBytes(from: marker.name.utf8.prefix(255))
                }
                unsafe data.storeBytes(of: cue, toByteOffset: 4 + number * size, as: SF_CUE_POINT.self)
            }
        }
        _ = unsafe Self.command(file, SFC_SET_CUE, &data)
    }

    private func putInstrument(into file: OpaquePointer) {
        guard instrument.count == MemoryLayout<SF_INSTRUMENT>.size else { return }
        var data = instrument
        unsafe data.withUnsafeMutableBytes { record in
            func put(_ value: UInt32, at place: Int) {
                unsafe record.storeBytes(of: value, toByteOffset: place, as: UInt32.self)
            }
            put(UInt32(min(loops.count, Self.loopPlaces.count)), at: Self.loopCountPlace)
            for (place, loop) in zip(Self.loopPlaces, loops) {
                put(UInt32(bitPattern: loop.mode), at: place)
                put(UInt32(clamping: loop.first), at: place + 4)
                put(UInt32(clamping: loop.last), at: place + 8)
                put(loop.count, at: place + 12)
            }
        }
        _ = unsafe Self.command(file, SFC_SET_INSTRUMENT, &data)
    }
}
