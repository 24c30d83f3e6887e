// SPDX-License-Identifier: MIT
import Foundation

/// A private PipeWire daemon: no session manager, no D-Bus, a timer as its clock, a source and a target to link to.
final class Daemon {
    /// Frames a cycle, unless others are asked for.
    static let frames = 64
    static let mostFrames = 1024

    private let program: Program
    private let place: Workplace

    /// - Parameter rate: frames a second. The fewer, the longer a cycle.
    init(rate: Int, in place: Workplace) throws {
        self.place = place
        let file = place.folder.appendingPathComponent("daemon.conf")
        try Self.configuration(rate: rate).write(to: file, atomically: true, encoding: .utf8)
        program = try Program(["pipewire", "-c", file.path], name: "pipewire", in: place)
        do {
            try wait(upTo: 10, for: "the daemon") {
                try program.checkAlive()
                guard FileManager.default.fileExists(atPath: place.folder.appendingPathComponent("pipewire-0").path)
                else { return false }
                return try ports(of: "source-sink", isInput: false).count == 2
                    && ports(of: "target-sink", isInput: true).count == 2
            }
        } catch {
            program.end()
            throw error
        }
    }

    func end() { program.end() }

    var processorNanoseconds: Int { program.processorNanoseconds }

    /// The ports of one direction of nodes whose name begins so, in the order in which they were added.
    func ports(of node: String, isInput: Bool) throws -> [String] {
        try ports(isInput: isInput).filter(isPort(of: node))
    }

    private func isPort(of node: String) -> (String) -> Bool {
        { $0.hasPrefix(node + ":") || $0.hasPrefix(node + ".") }
    }

    private func ports(isInput: Bool) throws -> [String] {
        try Program.run(["pw-link", isInput ? "-i" : "-o"], in: place).map(String.init)
    }

    /// Links stereo nodes, what each one gives to what the next one takes, once all have their ports.
    ///
    /// - Parameter check: throws if it is no use to wait any longer.
    func linkInSeries(_ nodes: [String], timeout: Double, _ check: () throws -> Void) throws {
        var links: [(output: String, input: String)] = []
        try wait(upTo: timeout, for: "the ports of \(nodes[1...].joined(separator: ", "))") {
            try check()
            let outputs = try ports(isInput: false)
            let inputs = try ports(isInput: true)
            let pairs = zip(nodes, nodes.dropFirst()).map { first, second in
                Array(zip(outputs.filter(isPort(of: first)), inputs.filter(isPort(of: second))).prefix(2))
            }
            links = pairs.flatMap { $0 }
            return pairs.allSatisfy { $0.count == 2 }
        }
        for link in links { try Program.run(["pw-link", link.output, link.input], in: place) }
    }

    /// Links every sender to a receiver, once it has its ports: channel by channel, as both have them.
    func linkReceiver(_ node: String, timeout: Double) throws {
        var outputs: [String] = []
        var inputs: [String] = []
        try wait(upTo: timeout, for: "the ports of \(node)") {
            outputs = try ports(isInput: false).filter { $0.hasPrefix("sender-") }.sorted()
            inputs = try ports(of: node, isInput: true)
            return inputs.count == Senders.channelCount && outputs.count == Senders.channelCount
        }
        for (output, input) in zip(outputs, inputs) { try Program.run(["pw-link", output, input], in: place) }
    }

    /// Makes all cycles of another length, and waits until all the clients have had one of that.
    func setFrames(_ frames: Int, for clients: [Client]) throws {
        try Program.run(["pw-metadata", "-n", "settings", "0", "clock.force-quantum", "\(frames)"], in: place)
        try wait(upTo: 10, for: "cycles of \(frames) frames") {
            for client in clients { try client.askForWindow() }
            return try clients.map { try $0.readWindow().frames == frames }.allSatisfy(\.self)
        }
    }

    private static func configuration(rate: Int) -> String {
        """
        context.properties = {
            core.daemon = true
            core.name = pipewire-0
            support.dbus = false
            link.max-buffers = 16
            default.clock.rate = \(rate)
            default.clock.allowed-rates = [ \(rate) ]
            default.clock.quantum = \(frames)
            default.clock.min-quantum = \(frames)
            default.clock.max-quantum = \(mostFrames)
        }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-rt
                args = { nice.level = -11 rt.prio = 88 rtkit.enabled = false rtportal.enabled = false }
                flags = [ ifexists nofail ] }
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-profiler }
            { name = libpipewire-module-metadata }
            { name = libpipewire-module-spa-node-factory }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-access }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-link-factory }
        ]
        context.objects = [
            { factory = metadata args = { metadata.name = default } }
            # The group makes the driver drive the two sinks, and whatever is linked to them.
            { factory = spa-node-factory
                args = { factory.name = support.node.driver node.name = driver node.group = bench
                    priority.driver = 200000 } }
            \(sink(named: "source-sink", rate: rate))
            \(sink(named: "target-sink", rate: rate))
        ]
        """
    }

    /// The signal comes from the monitor of one sink and goes to the other.
    private static func sink(named name: String, rate: Int) -> String {
        """
        { factory = adapter
            args = { factory.name = support.null-audio-sink node.name = \(name) media.class = Audio/Sink
                node.group = bench object.linger = true priority.driver = 100
                audio.position = [ FL FR ] audio.channels = 2 audio.rate = \(rate) audio.format = F32P
                adapter.auto-port-config = { mode = dsp monitor = true position = preserve } } }
        """
    }
}
