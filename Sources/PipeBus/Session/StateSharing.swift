// SPDX-License-Identifier: MIT
import PipeWireClient

/// The values that this client shares with other processes in one session, and their requests to change them. Confined to the loop.
///
/// Each part of the library has a section: the values whose keys begin with its prefix.
final class StateSharing {
    /// The reason why a request was refused.
    struct Refusal {
        /// The port that the request was for; `nil` for none.
        var port: String?
        var reason: String
    }

    struct Section {
        let prefix: String
        /// Publishes all values of the section.
        let publish: () -> Void
        /// Handles a request to set a key to a value, or to remove it. The section confirms what it accepts with ``post(_:_:_:)``.
        let handle: (_ key: String, _ value: String?) -> Refusal?
    }

    private let connection: SessionConnection
    private let appID: String
    private let notices: NoticeLog
    private var sections: [Section] = []
    /// The object in the graph, from the first ``start()`` on.
    private var state: SharedState?
    private var refusals = RequestRefusals()

    init(on connection: SessionConnection, appID: String, notices: NoticeLog) {
        self.connection = connection
        self.appID = appID
        self.notices = notices
    }

    func add(_ section: Section) { sections.append(section) }

    /// Starts to share. Idempotent.
    ///
    /// A failure is only a notice: all else works without, but other processes see no values and cannot set any.
    func start() async {
        guard state == nil, connection.isOpen else { return }
        do throws(PipeWireError) {
            let state = try SharedState(on: connection.pipeWire, appID: appID) { [unowned self] request in
                requested(request)
            }
            self.state = state
            try await state.waitUntilSeen()
            state.onLost = { [unowned self] in scheduleLoss() }
            // There are values already if an earlier object was lost.
            for section in sections { section.publish() }
        } catch {
            guard connection.isOpen else { return }
            post(
                .notShared,
                "Other apps cannot see or set what this one shares, such as its levels: \(PipeBusError(error).message)")
        }
    }

    /// Handles the loss in a job, because nothing may be destroyed inside PipeWire's callback.
    private func scheduleLoss() { if connection.isOpen { connection.later { [self] in lost() } } }

    /// Closes and reports the object, because another program removed it. The daemon still runs, and the next ``start()`` makes the
    /// object again.
    private func lost() {
        guard connection.isOpen, let state, state.failure != nil else { return }
        close()
        post(
            .notShared,
            "Another program removed what this app shares from the graph: other apps cannot set its levels any more.")
    }

    private func post(_ kind: Notice.Kind, _ message: String, port: String? = nil) {
        notices.post(Notice(kind: kind, port: port, message: message))
    }

    // MARK: Values

    /// Replaces all values under a prefix, and publishes the changes.
    func publish(_ values: [String: (type: String, value: String)], prefix: String) {
        state?.publish(values, prefix: prefix)
    }

    /// Publishes a value even if it has not changed: the client that requested it waits for that.
    func post(_ key: String, _ type: String, _ value: String) { state?.post(key, type, value) }

    // MARK: Requests

    private func requested(_ request: ExportedMetadata.Request) {
        if request.dropped > 0, let message = refusals.dropped(request.dropped) { post(.requestRefused, message) }
        guard let key = request.key else {
            return refuse("everything", Refusal(port: nil, reason: "values can be set, and not cleared"))
        }
        guard let section = sections.first(where: { key.hasPrefix($0.prefix) }) else {
            return refuse(key, Refusal(port: nil, reason: "that is no key that can be written"))
        }
        if let refusal = section.handle(key, request.value) { refuse(key, refusal) }
    }

    private func refuse(_ key: String, _ refusal: Refusal) {
        state?.refuse(key, because: refusal.reason)
        if let message = refusals.refused(key, because: refusal.reason) {
            post(.requestRefused, message, port: refusal.port)
        }
    }

    // MARK: The end

    func connectionLost(_ error: PipeWireError) { state?.connectionLost(error) }

    func close() {
        state?.close()
        state = nil
    }
}
