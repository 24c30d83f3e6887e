// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus

/// The client and ports of this process.
actor PeerSession {
    private struct Entry {
        var port: LocalPort
        var probe: PortProbe
    }

    private var bus: BusClient?
    private var entries: [String: Entry] = [:]
    private var notices: [PeerNotice] = []
    private var states: [PeerState] = []
    private var full: FullApp?
    private var events: [String] = []

    func perform(_ command: PeerCommand) async throws -> PeerReply {
        switch command {
        case .connect(let app, let name, let isOneApp):
            try await connect(app: app, name: name, isOneApp: isOneApp)
            return .done
        case .addSender(let name, let title, let channels, let signal, let latency):
            let probe = PortProbe(signal)
            let port = try await client().sender(
                name, title: title, channels: .channels(channels), latency: .frames(latency), state: probe
            ) { probe, cycle, output in probe.send(cycle, &output) }
            return add(port, probe)
        case .addFilter(let name, let channels, let expected, let latency):
            let probe = PortProbe(expected)
            let port = try await client().filter(
                name, inputs: .channels(channels), latency: latency, fade: .none, state: probe
            ) {
                probe, cycle, input, output in probe.pass(cycle, input, &output)
            }
            return add(port, probe)
        case .addReceiver(let name, let channels, let lanes, let expected):
            let probe = PortProbe(expected)
            let port = try await client().receiver(
                name, channels: .channels(channels), lanes: lanes, fade: .none, panLaw: .balance, state: probe
            ) {
                probe, cycle, mix in probe.receive(cycle, mix.channels)
            }
            return add(port, probe)
        case .join(let source, let destination, let seconds):
            try await client().connect(source, to: destination, timeout: .seconds(seconds))
            return .done
        case .part(let source, let destination):
            try await client().disconnect(source, from: destination)
            return .done
        case .setTitle(let name, let title):
            try await entry(name).port.setTitle(title)
            return .done
        case .setLatency(let name, let frames):
            try await setLatency(frames, of: name)
            return .done
        case .latencies(let name):
            return .latencies(try await latencies(of: name))
        case .report(let name):
            return .report(try entry(name).probe.report)
        case .recount(let name):
            try entry(name).probe.recount()
            return .done
        case .meters(let name):
            return .meters(try await meters(of: name))
        case .notices:
            return .notices(notices)
        case .states:
            return .states(states)
        case .hang(let name, let seconds):
            try entry(name).probe.hang(for: seconds)
            return .done
        case .release(let name):
            try entry(name).probe.release()
            return .done
        case .sum(let name):
            return .sum(try unsafe entry(name).probe.memory.pointee.sums.report)
        case .resetSum(let name):
            try unsafe entry(name).probe.memory.pointee.sums.reset()
            return .done
        case .setBypassed(let name, let isBypassed):
            try await (try entry(name).port as? FilterPort)?.setBypassed(isBypassed)
            return .done
        case .events:
            defer { events = [] }
            return .events(events)
        case .sources(let name):
            guard let receiver = try entry(name).port as? ReceiverPort else { return .sources([]) }
            let sources = try await receiver.sources
            return .sources(
                sources.map { source in
                    PeerSource(
                        title: source.title, lane: source.lane, isStalled: source.isStalled,
                        latency: source.latency.frames, delay: source.delay.frames)
                })
        case .addEverything:
            full = try await FullApp(on: client())
            return .done
        case .publish(let key, let count, let byte):
            try await client().publish([UInt8](repeating: byte, count: count), forKey: key)
            return .done
        case .unpublish(let key):
            try await client().unpublish(key)
            return .done
        case .addTrigger(let id):
            try await client().addTrigger(.button, id: id) { _ in }
            return .done
        case .setTag(let port, let source, let tag):
            try await fullApp().setTag(tag, of: source, at: port)
            return .done
        case .setVolume(let port, let source, let volume):
            try await fullApp().setVolume(volume, of: source, at: port)
            return .done
        case .describe:
            return .description(try await fullApp().description)
        case .heard:
            return .heard(try fullApp().probe.cycles)
        case .forget:
            try fullApp().probe.forget()
            return .done
        case .closePort(let name):
            try await entry(name).port.close()
            return .done
        case .close:
            await close()
            return .ended(reason: "asked to")
        }
    }

    func close() async { await bus?.close() }

    private func connect(app: String, name: String, isOneApp: Bool) async throws {
        let bus = try await BusClient.connect(as: app, name: name, isOneAppAcrossProcesses: isOneApp)
        self.bus = bus
        Task {
            for await notice in bus.notices {
                note("\(notice.kind.rawValue): \(notice.message)")
                guard notice.port != nil else { continue }
                BusPeer.note("notice \(notice.kind.rawValue)")
                notices.append(PeerNotice(kind: notice.kind.rawValue, message: notice.message))
            }
        }
        let following = Task {
            for await state in bus.stateUpdates {
                note("\(state)")
                BusPeer.note("state \(state.words)")
                states.append(PeerState(kind: state.reason?.kind.rawValue, message: state.reason?.message))
            }
        }
        Task {
            let reason =
                switch await bus.runUntilSignal() {
                case .signal(let number): "signal \(number)"
                case .quitRequested(let request): "asked to by \(request.peer?.name ?? "nobody")"
                case .unused: "unused"
                case .cancelled: "cancelled"
                case .connectionLost(let error): error.code.rawValue
                case .closed: "closed"
                }
            await following.value
            BusPeer.answer(.ended(reason: reason))
            exit(0)
        }
    }

    /// Of events that nobody reads, the newest are kept.
    private func note(_ event: String) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        events = events.suffix(99) + ["\(now.tv_sec % 86_400).\(now.tv_nsec / 1_000_000 + 1000) \(event)"]
    }

    private func client() throws -> BusClient {
        guard let bus else { throw PipeBusError(.closed, "Connect first.") }
        return bus
    }

    private func fullApp() throws -> FullApp {
        guard let full else { throw PipeBusError(.unknownPort, "Add everything first.") }
        return full
    }

    private func add(_ port: LocalPort, _ probe: PortProbe) -> PeerReply {
        entries[port.name] = Entry(port: port, probe: probe)
        return .added(nodeName: port.nodeName)
    }

    private func entry(_ name: String) throws -> Entry {
        guard let entry = entries[name] else { throw PipeBusError(.unknownPort, "There is no port \(name) here.") }
        return entry
    }

    private func setLatency(_ frames: Int, of name: String) async throws {
        let port = try entry(name).port
        try await (port as? SenderPort)?.setLatency(.frames(frames))
        try await (port as? FilterPort)?.setLatency(frames)
    }

    private func latencies(of name: String) async throws -> [String: [Int]] {
        guard let receiver = try entry(name).port as? ReceiverPort else { return [:] }
        let sources = try await receiver.sources.map { source in
            (source.title, [source.latencyRange.lowerBound.frames, source.latencyRange.upperBound.frames])
        }
        return Dictionary(sources) { first, _ in first }
    }

    private func meters(of name: String) async throws -> [PeerMeter] {
        guard let receiver = try entry(name).port as? ReceiverPort else { return [] }
        for await readings in receiver.meters {
            return readings.map { PeerMeter(title: $0.source.title, peak: $0.meter.peak) }
        }
        return []
    }
}
