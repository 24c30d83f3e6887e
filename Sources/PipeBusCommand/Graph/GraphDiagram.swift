// SPDX-License-Identifier: MIT
import PipeBus

/// What is shown of a graph, in every form. Each text in it is printable and bounded, and no port is a reference: the
/// renderers need nothing else.
struct GraphDiagram: Sendable {
    /// The pace of the graph.
    struct Pace: Sendable, Encodable {
        /// In hertz.
        var sampleRate: Int
        /// In frames.
        var quantum: Int
        /// The device that begins the cycles; absent while nothing runs.
        var driver: String?

        func milliseconds(_ frames: Int) -> Double { Double(frames) * 1000 / Double(max(sampleRate, 1)) }
    }

    /// The owner of ports, or the devices, or their monitors.
    struct App: Sendable {
        enum Kind: String, Sendable { case app, devices, monitors, pipeWire }

        var kind: Kind
        /// The app's own name, or the heading for the others.
        var name: String
        var id: String?
        /// The name of its icon.
        var icon: String?
        var process: Int32?
        /// Its clients in the graph.
        var clients: [Peer.ID] = []
        /// Whether it runs. One that does not is installed, and has the ports that it declares.
        var isRunning = true
        var ports: [Port]
    }

    /// A port, or one side of a device.
    struct Port: Sendable {
        enum Kind: String, Sendable, CaseIterable { case sender, filter, receiver, playback, capture, monitor }

        /// Letters and digits, unique in the diagram.
        var key: String
        var kind: Kind
        /// The name that finds exactly this port, in every command.
        var uniqueName: String
        var title: String
        /// Absent for one of an app that does not run.
        var id: GraphPort.ID?
        /// The name of an icon of its own, beside that of its app.
        var icon: String?
        var isPipeBus: Bool
        /// Audio channels of one source.
        var inputs: Int
        var outputs: Int
        /// What a person is told of other channels, such as "MIDI in".
        var otherMedia: [String]
        /// Whether anything can be connected to it, and from it.
        var hasInlet: Bool
        var hasOutlet: Bool
        /// Lanes of a PipeBus receiver: those in use, and all; absent for other ports.
        var lanes: (used: Int, all: Int)?
        var isBypassed: Bool
        var isLive: Bool
        /// The unique name of the filter whose auxiliary input the port is.
        var auxiliaryOf: String?
        /// The ``key`` of the receiver of the same app that the sound of a sender comes from, if the app declares one.
        var follows: String?
        /// In milliseconds.
        var latency: Double?
        /// The difference between the oldest and the newest sound that arrives, in milliseconds; absent for less than
        /// two sources of known latency.
        var latencySpread: Double?
        var feeds: [Feed]
        /// Numbers of its sources and destinations that a filter by name leaves out.
        var hidden: (sources: Int, destinations: Int)
        /// The reason why the levels are not known.
        var problem: String?

        /// What a picture shows where the mouse points to: the title, and the name that can be typed.
        var tip: String { "\(title) (\(ShellText.shown(uniqueName)))" }

        /// Whether the title says more than the name does.
        var hasOwnTitle: Bool { title != uniqueName && title != uniqueName.replacing(".", with: " ") }
    }

    /// A source of a port.
    struct Feed: Sendable {
        /// The source's ``Port/key``.
        var source: String
        var uniqueName: String
        var title: String
        var medium: Medium
        /// The source's lanes at a PipeBus receiver, from 1.
        var lanes: [Int]
        var links: LinkCount
        /// The level of a source at a receiver that mixes.
        var level: Source.Level?
        /// Whether it is left out of the mix: it is muted, or others are soloed and it is not.
        var isSilent = false
        /// In milliseconds, at the source's output.
        var latency: Double?
        /// Whether the connection is part of a loop.
        var isInLoop: Certainty
        /// Whether it is the monitor of a device.
        var isMonitor: Bool
        /// Whether the receiver has disconnected the source until it answers.
        var isStalled: Bool

        /// As ``Port/tip``.
        var tip: String { "\(title) (\(ShellText.shown(uniqueName)))" }
    }

    /// A path from a sender to a receiver.
    struct Pipeline: Sendable {
        var id: String
        /// The ``Port/key``s of its ports, their unique names, and their titles.
        var ports: [(key: String, uniqueName: String, title: String)]
        var isLoop: Bool
        var isContinuous: Certainty
        /// The age of the sound that arrives at its end, in milliseconds.
        var latency: Double?
    }

    var pace: Pace?
    /// Sorted by name; then the devices and their monitors.
    var apps: [App]
    var pipelines: [Pipeline]
    /// Whether all pipelines are there.
    var hasAllPipelines: Bool
    /// The name that the graph is filtered by.
    var filter: String?

    var ports: [Port] { apps.flatMap(\.ports) }
    /// Those that are in the graph.
    var runningPorts: [Port] { apps.filter(\.isRunning).flatMap(\.ports) }
    /// The number of apps that run.
    var runningAppCount: Int { apps.count { $0.kind == .app && $0.isRunning } }
    var absentAppCount: Int { apps.count { !$0.isRunning } }
}
