// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// The only value of a list. A negative number looks like an option, so the value is taken as a list.
private func single(_ values: [String], _ what: String) throws -> String? {
    // Behind "--" nothing is an option.
    let values = values.first == "--" ? Array(values.dropFirst()) : values
    // As people write it: a number, a space, and the unit.
    if values.count == 2, ["db", "%"].contains(values[1].lowercased()) { return values[0] + values[1] }
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
        help:
            "Decibels, such as -6dB, up to 0dB; 0…1 or 0%…100%, linear; -inf or 0 for silence. A value above is clamped."
    )
    var value: [String] = []
    @OptionGroup var remote: RemoteOptions

    var typedValue: String? { get throws { try single(value, Self.what) } }

    static func change(_ text: String) throws -> LevelRequest {
        let change = try TypedLevel.volume(text)
        return { _ in change }
    }

    var remark: String? { (try? typedValue).flatMap(TypedLevel.remark(onVolume:)) }

    static func number(of level: Source.Level) -> String { level.volumeText }
    static func text(of level: Source.Level) -> String { DiagramText.volume(level) }
}

struct PanCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "pan", abstract: "Shows or sets where a source is in a receiver's stereo mix.",
        discussion: LevelNames.discussion)
    static let what = "pan"

    @OptionGroup var names: LevelNames
    @Argument(
        parsing: .allUnrecognized, help: "L, C, R, L30 for 30% of the way to the left, -30%, or -1 (left) … 1 (right).")
    var value: [String] = []
    @OptionGroup var remote: RemoteOptions

    var typedValue: String? { get throws { try single(value, Self.what) } }

    static func change(_ text: String) throws -> LevelRequest {
        let change = try TypedLevel.pan(text)
        return { _ in change }
    }

    static func number(of level: Source.Level) -> String { level.panText }
    static func text(of level: Source.Level) -> String { DiagramText.pan(level) }
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
