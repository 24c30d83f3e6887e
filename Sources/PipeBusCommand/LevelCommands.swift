// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// The common part of the four level commands. With a value they set it and print the result; without one they print
/// the present value.
protocol LevelCommand: AsyncParsableCommand {
    var source: String { get }
    var receiver: String { get }
    var remote: RemoteOptions { get }
    static var what: String { get }
    func change() throws -> LevelChange?
    static func text(of level: Source.Level) -> String
    /// An explanation behind the value, for a person at a terminal.
    static func explanation(of level: Source.Level) -> String
    /// What became of a value that no level can have; `nil` for any other value.
    var remark: String? { get }
}

extension LevelCommand {
    static func explanation(of level: Source.Level) -> String { "" }
    var remark: String? { nil }

    func validate() throws { _ = try change() }

    func run() async throws {
        let change = try change()
        try await Patchbay.with(remote) { [receiver, source, remark] bus in
            let level =
                if let change {
                    try await bus.setLevel(change, of: source, at: receiver)
                } else {
                    try await bus.level(of: source, at: receiver)
                }
            let value = Self.text(of: level)
            Terminal.report(
                "\(source) at \(receiver): \(Self.what) \(value)\(Self.explanation(of: level))", ["\(Self.what)": value]
            )
            if let remark { Terminal.complain(remark, as: "pipebus") }
        }
    }
}

/// The only value of a list. A negative number looks like an option, so the value is taken as a list.
private func single(_ values: [String], _ what: String) throws -> String? {
    guard values.count <= 1 else {
        throw ValidationError("\(what) takes one value, not \"\(values.joined(separator: " "))\".")
    }
    return values.first
}

func isOn(_ text: String, _ what: String) throws -> Bool {
    switch text.lowercased() {
    case "on", "true", "1": true
    case "off", "false", "0": false
    default: throw ValidationError("\(what) takes on or off, not \"\(text)\".")
    }
}

struct VolumeCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Shows or sets how loud a source is in a receiver's mix.")
    static let what = "volume"

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The receiver that it is connected to already.")
    var receiver: String
    @Argument(
        parsing: .allUnrecognized,
        help: "0…1, linear, or −∞…0 dB with \"dB\" behind it, such as -6dB; a value above is clamped.")
    var value: [String] = []
    @OptionGroup var remote: RemoteOptions

    func change() throws -> LevelChange? {
        try single(value, Self.what).map(TypedLevel.volume)
    }

    var remark: String? { value.first.flatMap(TypedLevel.remark) }

    static func text(of level: Source.Level) -> String { level.volumeText }

    static func explanation(of level: Source.Level) -> String {
        level.volume > 0 ? " (\(Decimal.text(level.volumeInDecibels, digits: 1)) dB)" : " (silent)"
    }
}

struct PanCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "pan", abstract: "Shows or sets where a source is in a receiver's stereo mix.")
    static let what = "pan"

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The receiver that it is connected to already.")
    var receiver: String
    @Argument(parsing: .allUnrecognized, help: "−1 (left) … 1 (right), or as L, C, R, L30 or -30%.")
    var value: [String] = []
    @OptionGroup var remote: RemoteOptions

    func change() throws -> LevelChange? {
        try single(value, Self.what).map(TypedLevel.pan)
    }

    static func text(of level: Source.Level) -> String { level.panText }
}

struct MuteCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Shows whether a source is muted in a receiver's mix, or mutes it.")
    static let what = "mute"

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The receiver that it is connected to already.")
    var receiver: String
    @Argument(help: "on or off.")
    var value: String?
    @OptionGroup var remote: RemoteOptions

    func change() throws -> LevelChange? { try value.map { .muted(try isOn($0, Self.what)) } }

    static func text(of level: Source.Level) -> String { level.isMuted ? "on" : "off" }
}

struct SoloCommand: LevelCommand {
    static let configuration = CommandConfiguration(
        commandName: "solo",
        abstract: "Shows whether a source is soloed in a receiver's mix, or solos it: then only soloed ones are heard.")
    static let what = "solo"

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The receiver that it is connected to already.")
    var receiver: String
    @Argument(help: "on or off.")
    var value: String?
    @OptionGroup var remote: RemoteOptions

    func change() throws -> LevelChange? { try value.map { .soloed(try isOn($0, Self.what)) } }

    static func text(of level: Source.Level) -> String { level.isSoloed ? "on" : "off" }
}
