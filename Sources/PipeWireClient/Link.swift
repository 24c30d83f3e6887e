// SPDX-License-Identifier: MIT
import CPipeWireShims

/// A link that we asked for: from one output port to one input port. Belongs to the actor on the loop.
///
/// Letting go of it removes the link from the graph, unless it lingers.
@safe package final class Link {
    package let output: UInt32
    package let input: UInt32
    package let lingers: Bool
    private let connection: PipeWireConnection
    private var proxy: OpaquePointer?
    private let events: UnsafeMutablePointer<pbpw_link_events>
    private var state = LinkState()
    private let settled = Waiter<Void>()

    /// The link's global id, once the daemon has assigned it.
    package private(set) var id: UInt32?
    /// The graph runs its input before its output, one cycle late, because there is a way back already. `nil` until the
    /// daemon has reported it.
    package private(set) var isFeedback: Bool?
    /// Called when a link that was made is lost again, or when one that nobody waits for fails.
    package var onFailure: ((PipeWireError) -> Void)?

    /// Asks for the link. Ports are given by their global ids. One that is passive makes nobody run.
    package init(
        on connection: PipeWireConnection, output: UInt32, input: UInt32, lingers: Bool, isPassive: Bool = false
    ) throws(PipeWireError) {
        self.connection = connection
        self.output = output
        self.input = input
        self.lingers = lingers
        unsafe events = .allocate(capacity: 1)
        unsafe events.initialize(to: Self.makeEvents())
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        do throws(PipeWireError) {
            unsafe proxy = try connection.calls.makeLink(
                try connection.liveCore(), output: output, input: input, lingers: lingers, isPassive: isPassive,
                events: events, data: me)
        } catch {
            unsafe events.deallocate()
            throw error
        }
    }

    deinit { close() }

    /// Waits until sound can pass.
    package func waitUntilActive(timeout: Duration) async throws(PipeWireError) {
        try await settled.value(within: timeout, on: connection.loop, waitingFor: "a link to become active")
    }

    package var isActive: Bool { state.outcome == .active }

    /// It failed or was removed: its ``id`` may be another object's by now.
    package var isLost: Bool {
        if case .failed = state.outcome { true } else { false }
    }

    /// Lets go of the link. Idempotent.
    package func close() {
        guard let proxy = unsafe proxy else { return }
        unsafe self.proxy = nil
        unsafe connection.calls.destroy(link: proxy)
        unsafe events.deallocate()
        settled.resume(throwing: .closed)
    }

    /// Also how tests bring events that today's daemon does not.
    package func handle(_ event: LinkState.Event) {
        guard let outcome = state.handle(event) else { return }
        switch outcome {
        case .active: settled.resume(returning: ())
        case .failed(let error):
            settled.resume(throwing: error)
            onFailure?(error)
        }
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> Link {
        unsafe Unmanaged<Link>.fromOpaque(data!).takeUnretainedValue()
    }

    private static func makeEvents() -> pbpw_link_events {
        unsafe pbpw_link_events(
            bound: { data, id in unsafe Link.from(data).id = id },
            state: { data, state, text in
                unsafe Link.from(data).handle(.state(state, error: text.map { unsafe String(cString: $0) }))
            },
            feedback: { data, isFeedback in unsafe Link.from(data).isFeedback = isFeedback },
            error: { data, code, message in
                unsafe Link.from(data).handle(
                    .refused(code: -code, message: message.map { unsafe String(cString: $0) } ?? ""))
            },
            removed: { data in unsafe Link.from(data).handle(.removed) })
    }
}
