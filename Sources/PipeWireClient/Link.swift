// SPDX-License-Identifier: MIT
import CPipeWireShims

/// A link that this client requested, from one output port to one input port. Confined to the loop.
///
/// Closing it removes the link from the graph, unless it lingers.
@safe package final class Link {
    package let output: UInt32
    package let input: UInt32
    package let lingers: Bool
    private let connection: PipeWireConnection
    private var proxy: OpaquePointer?
    private let events: UnsafeMutablePointer<pbpw_link_events>
    private var state: LinkState

    /// The link's global id, once the daemon has assigned it.
    package private(set) var id: UInt32?
    /// Whether the graph runs the link's input before its output, so that sound comes one cycle late: the link closes a
    /// loop. `nil` until the daemon has reported it.
    package private(set) var isFeedback: Bool?
    /// Called when an existing link is lost, or when the making of a link fails.
    package var onFailure: ((PipeWireError) -> Void)?
    /// Called when sound can pass.
    package var onActive: (() -> Void)?

    /// Requests the link. Ports are given by their global ids. A passive link makes no node run.
    package init(
        on connection: PipeWireConnection, output: UInt32, input: UInt32, lingers: Bool, isPassive: Bool = false
    ) throws(PipeWireError) {
        self.connection = connection
        self.output = output
        self.input = input
        self.lingers = lingers
        state = LinkState(isPassive: isPassive)
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

    package var isActive: Bool { state.outcome == .active }

    /// Why sound will not pass; `nil` if it does, or may yet.
    package var failure: PipeWireError? {
        if case .failed(let error) = state.outcome { return error }
        return unsafe proxy == nil ? .closed : nil
    }

    /// Whether it failed or was removed. Then its ``id`` may be another object's by now.
    package var isLost: Bool {
        if case .failed = state.outcome { true } else { false }
    }

    /// Closes the link. Idempotent.
    package func close() {
        guard let proxy = unsafe proxy else { return }
        unsafe self.proxy = nil
        unsafe connection.calls.destroy(link: proxy)
        unsafe events.deallocate()
    }

    /// Tests call this with events that no present daemon sends.
    package func handle(_ event: LinkState.Event) {
        guard let outcome = state.handle(event) else { return }
        switch outcome {
        case .active: onActive?()
        case .failed(let error): onFailure?(error)
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
