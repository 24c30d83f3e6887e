// SPDX-License-Identifier: MIT
import PipeBus

/// A diagram in the form of `graph --json`. Fields may be added; ``version`` changes if one gets another meaning.
struct GraphDocument: Encodable {
    struct App: Encodable {
        /// "app", "devices", "monitors" or "pipeWire".
        var kind: String
        var name: String
        var id: String?
        var icon: String?
        var process: Int32?
        /// Of apps alone. `--all` adds those that do not run, with the ports that they declare.
        var isRunning: Bool?
        var ports: [Port]
    }

    struct Port: Encodable {
        var uniqueName: String
        var title: String
        /// "sender", "filter", "receiver", or a side of a device: "playback", "capture", "monitor".
        var kind: String
        /// Absent for a port of an app that does not run.
        var serial: UInt64?
        /// The name of an icon of its own, beside that of its app.
        var icon: String?
        var isPipeBus: Bool
        /// Numbers of audio channels.
        var inputs: Int
        var outputs: Int
        /// Such as "MIDI in" and "2 video out".
        var otherMedia: [String]
        var lanes: Int?
        var lanesInUse: Int?
        var isBypassed: Bool
        var isLive: Bool
        var auxiliaryOf: String?
        /// In milliseconds.
        var latency: Double?
        var latencySpread: Double?
        var sources: [Feed]
        var problem: String?
    }

    struct Feed: Encodable {
        var uniqueName: String
        /// "audio", "midi", "video" or "other".
        var medium: Medium
        /// From 1.
        var lanes: [Int]
        var links: LinkCount
        var level: Source.Level?
        /// Whether it is left out of the mix: it is muted, or others are soloed and it is not.
        var isSilent: Bool
        /// In milliseconds.
        var latency: Double?
        /// Whether the connection is part of a loop: "no", "unknown" or "yes".
        var isInLoop: Certainty
        var isMonitor: Bool
        var isStalled: Bool
    }

    struct Pipeline: Encodable {
        /// The same after a restart.
        var id: String
        /// Unique names.
        var ports: [String]
        var isLoop: Bool
        var isContinuous: Certainty
        /// In milliseconds.
        var latency: Double?
    }

    var version = 1
    var pace: GraphDiagram.Pace?
    var apps: [App]
    var pipelines: [Pipeline]
    var hasAllPipelines: Bool

    init(_ diagram: GraphDiagram) {
        pace = diagram.pace
        apps = diagram.apps.map { app in
            App(
                kind: app.kind.rawValue, name: app.name, id: app.id, icon: app.icon, process: app.process,
                isRunning: app.kind == .app ? app.isRunning : nil, ports: app.ports.map(Self.port))
        }
        pipelines = diagram.pipelines.map { pipeline in
            Pipeline(
                id: pipeline.id, ports: pipeline.ports.map(\.uniqueName), isLoop: pipeline.isLoop,
                isContinuous: pipeline.isContinuous, latency: pipeline.latency)
        }
        hasAllPipelines = diagram.hasAllPipelines
    }

    private static func port(_ port: GraphDiagram.Port) -> Port {
        Port(
            uniqueName: port.uniqueName, title: port.title, kind: port.kind.rawValue, serial: port.id?.serial,
            icon: port.icon,
            isPipeBus: port.isPipeBus, inputs: port.inputs, outputs: port.outputs, otherMedia: port.otherMedia,
            lanes: port.lanes?.all,
            lanesInUse: port.lanes?.used, isBypassed: port.isBypassed, isLive: port.isLive,
            auxiliaryOf: port.auxiliaryOf, latency: port.latency, latencySpread: port.latencySpread,
            sources: port.feeds.map { feed in
                Feed(
                    uniqueName: feed.uniqueName, medium: feed.medium, lanes: feed.lanes, links: feed.links,
                    level: feed.level,
                    isSilent: feed.isSilent,
                    latency: feed.latency, isInLoop: feed.isInLoop, isMonitor: feed.isMonitor,
                    isStalled: feed.isStalled)
            }, problem: port.problem)
    }
}
