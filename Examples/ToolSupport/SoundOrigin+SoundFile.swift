// SPDX-License-Identifier: MIT
import CSndFile

extension SoundOrigin {
    /// Tells libsndfile, before the header is written. A library that cannot write it makes a file without.
    func put(into file: OpaquePointer?, as format: FileFormat) {
        guard format == .flac else { return unsafe putChunk(into: file) }
        unsafe sf_set_string(file, Int32(SF_STR_DATE), "\(date)T\(time)")
        unsafe sf_set_string(file, Int32(SF_STR_TITLE), title)
    }

    private func putChunk(into file: OpaquePointer?) {
        var info = SF_BROADCAST_INFO()
        Self.copy(Self.field(title, 256), to: &info.description)
        Self.copy(Self.field(originator, 32), to: &info.originator)
        // These two fill their fields.
        Self.copy(Array(date.utf8.prefix(10)), to: &info.origination_date)
        Self.copy(Array(time.utf8.prefix(8)), to: &info.origination_time)
        info.time_reference_low = UInt32(truncatingIfNeeded: timeReference)
        info.time_reference_high = UInt32(truncatingIfNeeded: timeReference >> 32)
        // EBU Tech 3285: the value of a loudness that is not known.
        for path in [
            \SF_BROADCAST_INFO.loudness_value, \.loudness_range, \.max_true_peak_level, \.max_momentary_loudness,
            \.max_shortterm_loudness,
        ] { info[keyPath: path] = 0x7FFF }
        unsafe sf_command(
            file, Int32(SFC_SET_BROADCAST_INFO), &info, Int32(MemoryLayout<SF_BROADCAST_INFO>.size))
    }

    private static func copy<Field>(_ bytes: [UInt8], to field: inout Field) {
        unsafe withUnsafeMutableBytes(of: &field) { field in unsafe field.copyBytes(from: bytes) }
    }
}
