// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import RealtimeKit
import ToolSupport

/// An app that lives on a desktop: it is known before it runs, started from the graph, and has buttons for others to press.
@main
struct VoiceSynth: Tool {
    static let configuration = CommandConfiguration(
        commandName: "voice-synth",
        abstract: "Sings a vowel, as loud as the sound that it gets.",
        discussion: """
            Connect its port "out" to where you listen, and a voice or an instrument to its port "voice", which it follows. Its triggers choose the \
            vowel: "pipebus trigger 'Voice Synth:next-vowel'".

            At each start it writes a desktop entry, by which "pipebus list --all" shows it while it does not run, and "pipebus launch", \
            "connect" and "load" start it. --unregister takes the entry away, and does nothing else.
            """,
        version: ToolVersion.number)

    private static let id = "org.pipebus.voice-synth"
    private static let icon = "audio-input-microphone"

    @Option(help: ArgumentHelp("The app's name.", valueName: "name"))
    var name = "Voice Synth"
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The pitch at first, in hertz: 20 to 2000.", valueName: "hz"))
    var pitch = 110.0
    @Flag(help: "Removes the desktop entry that an earlier start has written.")
    var unregister = false
    @OptionGroup var remote: RemoteOptions

    func check() throws { try Check.that("--pitch", pitch, isIn: 20...2000, unit: "Hz") }

    func run() async throws {
        guard !unregister else {
            let isRemoved = try AppRegistration.unregister(Self.id)
            return Terminal.report(
                isRemoved ? "The entry is removed." : "There was no entry.", ["removed": "\(isRemoved)"])
        }
        let tool = ToolRun(as: "voice-synth")
        let registration = AppRegistration(
            id: Self.id, name: name, iconName: Self.icon,
            ports: [.sender("out", channels: .mono, title: "Voice"), .receiver("voice", channels: .mono)],
            arguments: ["--name", name, "--pitch", "\(pitch)"])
        do { try registration.register() } catch {
            Terminal.complain("\(error) Patchbays know the app only while it runs.", as: "voice-synth")
        }
        let bus = try await remote.connect(
            as: Self.id, name: name, tool: "voice-synth", isCancelled: { tool.isCancelled })
        let song = Mailbox(Song(pitch: pitch))
        let loudness = Mailbox<Float>(1)
        let input = try await bus.receiver("voice", channels: .mono, state: Ear(loudness)) { ear, _, mix in
            ear.listen(to: mix)
        }
        let output = try await bus.sender(
            "out", title: "Voice", channels: .mono, after: [input], state: Voice(song, loudness: loudness)
        ) { voice, cycle, output in
            voice.render(cycle, into: &output)
        }
        let singer = Singer(pitch: pitch, song.makeWriter())
        try await bus.addTrigger(.button, id: "next-vowel", face: TriggerFace(title: "Next Vowel")) { _ in
            await singer.singNext()
        }
        for vowel in Vowel.allCases {
            try await bus.addTrigger(
                .button, id: vowel.rawValue, face: TriggerFace(title: vowel.rawValue.uppercased())
            ) { _ in await singer.sing(vowel) }
        }
        try Terminal.announce("port", output.nodeName)
        var service: AppService?
        do {
            let started = try await AppService.start(for: bus)
            service = started
            try await singer.keepState(by: started)
        } catch let error as PipeBusError where error.code == .noSessionBus {
            // Everything else works.
        }
        // It has no window: launched by a patchbay, it ends when nothing is connected any more.
        _ = await AppLife.begin(for: bus, service: service)
        for mismatch in registration.mismatches(in: await bus.graph) {
            Terminal.complain("\(mismatch).", as: "voice-synth")
        }
        try await tool.keep(bus, until: { false }) {
            [
                "\(output.nodeName): \(await singer.vowel.rawValue.uppercased()) at \(Decimal.text(await singer.pitch)) Hz"
            ]
        }
    }
}
