// SPDX-License-Identifier: MIT

/// The types of sound files that libsndfile reads, for what cannot ask for all of audio: the list by which file managers find an app.
enum SoundTypes {
    private static let known: [MIMEType] = [
        "audio/vnd.wave", "audio/x-wav", "audio/x-aiff", "audio/x-aifc", "audio/flac", "audio/x-flac", "audio/ogg",
        "audio/x-vorbis+ogg", "audio/x-opus+ogg", "audio/x-flac+ogg", "audio/mpeg", "audio/basic", "audio/x-caf",
        "audio/x-voc",
    ]

    /// The types, with the known ones in place of a family of them.
    static func concrete(_ types: [MIMEType]) -> [MIMEType] {
        var concrete: [MIMEType] = []
        for type in types {
            let new = type.name.hasSuffix("/*") ? known.filter { $0.conforms(to: type) } : [type]
            concrete += new.filter { !concrete.contains($0) }
        }
        return concrete
    }
}
