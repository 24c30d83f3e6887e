// SPDX-License-Identifier: MIT
import PipeBus

@testable import PipeBusCommand

/// A graph for the renderers, made of events as a daemon sends them.
struct DiagramFixture {
    private var reducer = GraphReducer()
    private var nextID: UInt32 = 1
    private var channels: [String: (inputs: [UInt32], outputs: [UInt32])] = [:]
    private(set) var clients: [String: UInt32] = [:]
    private var nodeIDs: [String: UInt32] = [:]
    var facts = GraphFacts(pace: GraphDiagram.Pace(sampleRate: 48_000, quantum: 1024, driver: "Dummy"))

    var snapshot: GraphSnapshot { reducer.snapshot }
    func diagram(_ filter: String? = nil) -> GraphDiagram { DiagramBuilder(snapshot, facts, filter: filter).diagram }
    func id(_ node: String) -> GraphPort.ID { snapshot.ports.first { $0.nodeName == node }!.id }

    private mutating func add(_ kind: GraphEvent.Kind, _ properties: [String: String]) -> UInt32 {
        defer { nextID += 1 }
        reducer.apply(
            .added(
                id: nextID, kind: kind, properties: ["object.serial": "\(nextID)"].merging(properties) { $1 }))
        return nextID
    }

    private mutating func client(_ app: String) -> UInt32 {
        if let client = clients[app] { return client }
        let client = add(.client, ["application.name": app, "application.id": "org.example.\(app)"])
        clients[app] = client
        return client
    }

    /// Adds a port of an app; a foreign one without a kind, a device with a media class.
    mutating func add(
        _ node: String, of app: String?, _ kind: PortKind? = nil, title: String? = nil, inputs: Int = 0,
        outputs: Int = 0,
        width: Int? = nil, extra: [String: String] = [:]
    ) {
        var properties = ["node.name": node]
        if let app { properties["client.id"] = "\(client(app))" }
        if let title { properties["node.description"] = title }
        if let kind {
            properties["pipebus.port.kind"] = kind.rawValue
            properties["pipebus.port.name"] = String(node.split(separator: ".").last ?? "")
        }
        if let width { properties["pipebus.lane.width"] = "\(width)" }
        let id = add(.node, properties.merging(extra) { $1 })
        nodeIDs[node] = id
        let hasMonitors = ["Audio/Sink", "Audio/Source/Virtual"].contains(extra["media.class"])
        func channel(_ name: String, _ direction: String, _ place: Int) -> [String: String] {
            [
                "port.name": name, "node.id": "\(id)", "port.id": "\(place)", "port.direction": direction,
                "port.monitor": hasMonitors && direction == "out" ? "true" : "false",
            ]
        }
        channels[node] = (
            (0..<inputs).map { add(.port, channel("in\($0)", "in", $0)) },
            (0..<outputs).map { add(.port, channel("out\($0)", "out", $0)) }
        )
    }

    /// Adds a port of an app of its own, whose name others may have.
    mutating func add(
        _ node: String, ofAnother app: String, _ kind: PortKind, title: String, outputs: Int
    ) {
        clients[app] = nil
        add(node, of: app, kind, title: title, outputs: outputs)
    }

    /// Links a channel of one port, by default the first, to one of another, at a lane from 0.
    @discardableResult
    mutating func connect(_ source: String, _ destination: String, lane: Int = 0, output: Int = 0) -> Self {
        guard let outputs = channels[source]?.outputs, let inputs = channels[destination]?.inputs,
            inputs.indices.contains(lane), outputs.indices.contains(output)
        else { return self }
        _ = add(.link, ["link.output.port": "\(outputs[output])", "link.input.port": "\(inputs[lane])"])
        return self
    }

    /// Gives a port a channel of MIDI.
    ///
    /// - Returns: the channel's id.
    mutating func addMIDI(to node: String, isInput: Bool) -> UInt32 {
        let id = nodeIDs[node] ?? 0
        return add(
            .port,
            [
                "port.name": isInput ? "midi_in" : "midi_out", "node.id": "\(id)", "port.id": "9",
                "port.direction": isInput ? "in" : "out", "format.dsp": "8 bit raw midi",
            ])
    }

    /// Links two channels by their ids.
    mutating func link(_ output: UInt32, _ input: UInt32) {
        _ = add(.link, ["link.output.port": "\(output)", "link.input.port": "\(input)"])
    }

    /// A graph with one of everything.
    static var everything: DiagramFixture {
        var fixture = DiagramFixture()
        fixture.add("Drums.out", of: "Drums", .sender, title: "Drum machine", outputs: 1)
        fixture.add("Bass.out", of: "Bass", .sender, title: "Bass out", outputs: 1, extra: ["pipebus.live": "true"])
        fixture.add("Echo.echo", of: "Echo", .filter, inputs: 1, outputs: 1)
        fixture.add("Dub.dub", of: "Dub", .filter, inputs: 1, outputs: 1, extra: ["pipebus.bypassed": "true"])
        fixture.add("Mixer.in", of: "Mixer", .receiver, title: "Mixer in", inputs: 4, width: 1)
        fixture.add("Mixer.mix", of: "Mixer", .sender, outputs: 1, extra: ["pipebus.follows": "in"])
        fixture.add("jack", of: "Rack", inputs: 1, outputs: 1)
        fixture.add(
            "speakers", of: nil, title: "Speakers", inputs: 1, outputs: 1, extra: ["media.class": "Audio/Sink"])
        fixture.add("mic", of: nil, title: "Microphone", outputs: 1, extra: ["media.class": "Audio/Source"])
        fixture.add("Tape.in", of: "Tape", .receiver, inputs: 8, width: 1)
        for (source, destination, lane) in [
            ("Drums.out", "Mixer.in", 0), ("Bass.out", "Echo.echo", 0), ("Echo.echo", "Dub.dub", 0),
            ("Dub.dub", "Echo.echo", 0), ("Dub.dub", "Mixer.in", 1), ("Mixer.mix", "speakers", 0),
            ("speakers", "Tape.in", 0), ("mic", "jack", 0), ("jack", "Tape.in", 1),
        ] { fixture.connect(source, destination, lane: lane) }
        fixture.facts.latencies = [
            fixture.id("Drums.out"): 0, fixture.id("Bass.out"): 480, fixture.id("Echo.echo"): 960,
            fixture.id("Dub.dub"): 1440,
        ]
        fixture.facts.levels = [
            fixture.id("Mixer.in"): .success([
                fixture.id("Drums.out"): Source.Level(volume: 0.501187, pan: -0.5, isMuted: true),
                fixture.id("Dub.dub"): Source.Level(volume: 1, pan: 0.3, isSoloed: true),
            ])
        ]
        return fixture
    }

    /// Two recorders of one name, a synth, and a foreign player.
    static var twoRecorders: DiagramFixture {
        var fixture = DiagramFixture()
        fixture.add("Recorder.in", of: "Recorder", .receiver, inputs: 2)
        fixture.add("Recorder.in-2", ofAnother: "Recorder", .sender, title: "In", outputs: 1)
        fixture.add("Voice Synth.out", of: "Voice Synth", .sender, outputs: 2)
        fixture.add("player", of: "Player", outputs: 2)
        return fixture
    }
}
