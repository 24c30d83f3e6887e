// SPDX-License-Identifier: MIT
@testable import ConnectionGraph

/// A graph in a few words: ports by name, and who is connected to whom.
struct Topology {
    enum Node {
        /// Made with PipeBus by an app, which is a process of its own.
        case sender(String)
        case filter(String)
        case receiver(String, monitors: Bool = false)
        /// Not made with PipeBus.
        case foreignSender, foreignFilter, foreignRecorder
        /// A sound card: what it plays can be had from its monitors.
        case speakers
        case microphone
    }

    private var fixture = GraphFixture()
    private var clients: [String: UInt32] = [:]
    private var outputs: [String: UInt32] = [:]
    private var inputs: [String: UInt32] = [:]
    private var nodes: [String: UInt32] = [:]
    /// The second channels of ports that have two.
    private var rightOutputs: [String: UInt32] = [:]
    private var rightInputs: [String: UInt32] = [:]
    /// The properties of clients that are made from now on.
    var clientProperties: [String: String] = [:]
    /// The properties of PipeBus ports that are made from now on.
    var portProperties: [String: String] = [:]

    var snapshot: GraphSnapshot { fixture.snapshot }

    /// "a > b" and so on.
    init(_ nodes: KeyValuePairs<String, Node> = [:], _ connections: [String] = []) {
        for (name, node) in nodes { add(name, node) }
        for connection in connections { connect(connection) }
    }

    mutating func add(_ name: String, _ node: Node) {
        switch node {
        case .sender(let app): add(name, .sender, of: app, [:], hasInput: false, hasOutput: true)
        case .filter(let app): add(name, .filter, of: app, [:], hasInput: true, hasOutput: true)
        case .receiver(let app, let monitors):
            let extra = monitors ? [PipeBusProperty.monitors: "true"] : [:]
            add(name, .receiver, of: app, extra, hasInput: true, hasOutput: false)
        case .foreignSender: addForeign(name, [:], hasInput: false, hasOutput: true)
        case .foreignFilter: addForeign(name, [:], hasInput: true, hasOutput: true)
        case .foreignRecorder: addForeign(name, [:], hasInput: true, hasOutput: false)
        case .speakers:
            addForeign(name, ["media.class": "Audio/Sink"], hasInput: true, hasOutput: true, isMonitor: true)
        case .microphone: addForeign(name, ["media.class": "Audio/Source"], hasInput: false, hasOutput: true)
        }
    }

    mutating func connect(_ connection: String) {
        let ends = connection.split(separator: " ")
        _ = fixture.link(outputs[String(ends[0])]!, inputs[String(ends[2])]!)
    }

    /// Gives a port a second channel.
    mutating func widen(_ name: String) {
        guard let node = nodes[name] else { return }
        if inputs[name] != nil { rightInputs[name] = fixture.port("in2", of: node, index: 2, direction: "in") }
        if outputs[name] != nil { rightOutputs[name] = fixture.port("out2", of: node, index: 3, direction: "out") }
    }

    /// Links the second channels of two ports.
    mutating func connectRight(_ connection: String) {
        let ends = connection.split(separator: " ")
        _ = fixture.link(rightOutputs[String(ends[0])]!, rightInputs[String(ends[2])]!)
    }

    func id(_ name: String) -> GraphPort.ID { port(name).id }
    func port(_ name: String) -> GraphPort { fixture.port(name)! }

    private mutating func client(_ app: String) -> UInt32 {
        if let client = clients[app] { return client }
        let process = "\(1000 + clients.count)"
        let client = fixture.client(
            app, id: "org.example.\(app)", extra: ["pipewire.sec.pid": process].merging(clientProperties) { $1 })
        clients[app] = client
        return client
    }

    private mutating func add(
        _ name: String, _ kind: PortKind, of app: String, _ extra: [String: String], hasInput: Bool, hasOutput: Bool
    ) {
        let properties = [PipeBusProperty.kind: kind.rawValue, PipeBusProperty.name: name]
        let node = fixture.node(
            name, client: client(app), extra: properties.merging(portProperties) { $1 }.merging(extra) { $1 })
        addChannels(of: node, name, hasInput: hasInput, hasOutput: hasOutput)
    }

    private mutating func addForeign(
        _ name: String, _ extra: [String: String], hasInput: Bool, hasOutput: Bool, isMonitor: Bool = false
    ) {
        let node = fixture.node(name, client: client("\(name)App"), extra: extra)
        addChannels(of: node, name, hasInput: hasInput, hasOutput: hasOutput, isMonitor: isMonitor)
    }

    private mutating func addChannels(
        of node: UInt32, _ name: String, hasInput: Bool, hasOutput: Bool, isMonitor: Bool = false
    ) {
        nodes[name] = node
        if hasInput { inputs[name] = fixture.port("in", of: node, index: 0, direction: "in") }
        let extra = isMonitor ? ["port.monitor": "true"] : [:]
        if hasOutput { outputs[name] = fixture.port("out", of: node, index: 1, direction: "out", extra: extra) }
    }
}
