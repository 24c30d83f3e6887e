// SPDX-License-Identifier: MIT

extension SoundFormat {
    /// The MIME type, as shared-mime-info names it where it knows the format.
    public var mimeType: MIMEType {
        switch container {
        case .wav, .wavex, .rf64: "audio/x-wav"
        case .aiff: "audio/x-aiff"
        case .au: "audio/basic"
        case .caf: "audio/x-caf"
        case .flac: "audio/flac"
        case .ogg:
            switch encoding {
            case .vorbis: "audio/x-vorbis+ogg"
            case .opus: "audio/x-opus+ogg"
            default: "audio/ogg"
            }
        case .mpeg: encoding == .mpegLayer3 ? "audio/mpeg" : "audio/mp2"
        case .voc: "audio/x-voc"
        case .xi: "audio/x-xi"
        default: MIMEType("audio/x-\(fileExtension)")
        }
    }

    /// The extension of a file's name, without a dot.
    public var fileExtension: String {
        switch container {
        // Programs look for RF64 files under that of WAV files.
        case .wav, .wavex, .rf64: "wav"
        case .w64: "w64"
        case .aiff: "aiff"
        case .au: "au"
        case .caf: "caf"
        case .flac: "flac"
        case .ogg: encoding == .opus ? "opus" : "ogg"
        case .mpeg: encoding == .mpegLayer3 ? "mp3" : "mp2"
        case .nist: "nist"
        case .voc: "voc"
        case .ircam: "sf"
        case .svx: "iff"
        case .paf: "paf"
        case .pvf: "pvf"
        case .xi: "xi"
        case .htk: "htk"
        case .sds: "sds"
        case .avr: "avr"
        case .mat4, .mat5: "mat"
        case .mpc2k: "snd"
        case .wve: "wve"
        default: "sound"
        }
    }
}
