// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// The only value of a list. A negative number looks like an option, so the value is taken as a list.
private func single(_ values: [String], _ what: String) throws -> String? {
    // As people write it: a number, a space, and the unit.
    if values.count == 2, values[1].lowercased() == "db" { return values[0] + values[1] }
    guard values.count <= 1 else {
        throw ValidationError("\(what) takes one value, not \"\(values.joined(separator: " "))\".")
    }
    return values.first
}

struct VolumeCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Shows or sets how loud a source is in a receiver's mix.",
        discussion: LevelNames.discussion)
    static let what = "volume"

    @OptionGroup var names: LevelNames
    @Argument(
        parsing: .allUnrecognized,
        help: "0…1, linear, or −∞…0 dB with \"dB\" behind it, such as -6dB; a value above is clamped.")
    var value: [String] = []
    @OptionGroup var remote: RemoteOptions

    var typedValue: String? { get throws { try single(value, Self.what) } }

    static func change(_ text: String) throws -> LevelRequest {
        let change = try TypedLevel.volume(text)
        return { _ in change }
    }

    var remark: String? { value.first.flatMap(TypedLevel.remark) }

    static func text(of level: Source.Level) -> String { level.volumeText }

    static func explanation(of level: Source.Level) -> String {
        level.volume > 0 ? " (\(Decimal.text(level.volumeInDecibels, digits: 1)) dB)" : " (silent)"
    }
}

struct PanCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "pan", abstract: "Shows or sets where a source is in a receiver's stereo mix.",
        discussion: LevelNames.discussion)
    static let what = "pan"

    @OptionGroup var names: LevelNames
    @Argument(parsing: .allUnrecognized, help: "−1 (left) … 1 (right), or as L, C, R, L30 or -30%.")
    var value: [String] = []
    @OptionGroup var remote: RemoteOptions

    var typedValue: String? { get throws { try single(value, Self.what) } }

    static func change(_ text: String) throws -> LevelRequest {
        let change = try TypedLevel.pan(text)
        return { _ in change }
    }

    static func text(of level: Source.Level) -> String { level.panText }
}

struct MuteCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Shows whether a source is muted in a receiver's mix, or mutes it.",
        discussion: LevelNames.discussion)
    static let what = "mute"

    @OptionGroup var names: LevelNames
    @Argument(help: "on, off or toggle.")
    var value: String?
    @OptionGroup var remote: RemoteOptions

    var typedValue: String? { value }

    static func change(_ text: String) throws -> LevelRequest {
        let wanted = try TypedSwitch(text, of: what)
        return { .muted(wanted.value(from: $0.isMuted)) }
    }

    static func text(of level: Source.Level) -> String { level.isMuted ? "on" : "off" }
}

struct SoloCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "solo",
        abstract: "Shows whether a source is soloed in a receiver's mix, or solos it: then only soloed ones are heard.",
        discussion: LevelNames.discussion)
    static let what = "solo"

    @OptionGroup var names: LevelNames
    @Argument(help: "on, off or toggle.")
    var value: String?
    @OptionGroup var remote: RemoteOptions

    var typedValue: String? { value }

    static func change(_ text: String) throws -> LevelRequest {
        let wanted = try TypedSwitch(text, of: what)
        return { .soloed(wanted.value(from: $0.isSoloed)) }
    }

    static func text(of level: Source.Level) -> String { level.isSoloed ? "on" : "off" }
}
