// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// The reason why a connection to a daemon is gone. libpipewire reports "connection error" for all of these.
package enum ConnectionLoss: Sendable, Equatable {
    /// No daemon listens any more.
    case daemonGone
    /// Another daemon listens at the same place.
    case daemonRestarted
    /// The same daemon runs: it has ended this connection and no other.
    case removed
    /// The process has too few descriptors left. A message with a descriptor then breaks the connection.
    case fewDescriptors(left: Int, limit: Int)
    /// It is not known whether the daemon has ended: nobody answers in its place.
    case unanswered
    /// A message was malformed.
    case malformed(reason: String)
    /// The reason is none of the others.
    case unknown(reason: String)

    /// The reason as far as it is known at once.
    ///
    /// - Parameters:
    ///   - hasAnswered: whether the daemon had sent anything before.
    ///   - code: libpipewire's errno. A descriptor that could not be received is EPROTO.
    init(
        at address: RemoteAddress, of daemon: DaemonProcess?, hasAnswered: Bool, code: Int32, reason: String
    ) {
        // The socket of a daemon that has ended may be held open by another process, as with socket activation.
        if daemon?.hasEnded == true || !address.isAnswered {
            self = .daemonGone
        } else if let scarcity = DescriptorScarcity.now {
            self = .fewDescriptors(left: scarcity.left, limit: scarcity.limit)
        } else if code == EPROTO {
            self = .malformed(reason: reason)
        } else {
            self = hasAnswered ? .unknown(reason: reason) : .unanswered
        }
    }
}

/// Too few file descriptors for libpipewire, which then reports other reasons.
package struct DescriptorScarcity: Equatable {
    package let left: Int
    package let limit: Int

    /// The descriptors of a connection and a first port, and some more.
    private static let margin = 16

    /// `nil` while there are enough. It only computes: opening descriptors as a test would take them from other
    /// threads.
    package static var now: DescriptorScarcity? { below(margin) }

    /// `nil` while so many are free.
    static func below(_ needed: Int) -> DescriptorScarcity? {
        var limits = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return nil }
        let limit = Int(clamping: limits.rlim_cur)
        var left = 0
        for descriptor in 0..<Int32(clamping: limit) where fcntl(descriptor, F_GETFD) == -1 {
            left += 1
            if left >= needed { return nil }
        }
        return DescriptorScarcity(left: left, limit: limit)
    }
}

extension RemoteAddress {
    /// Whether a daemon listens on any of the sockets. A busy one counts, and so does one that cannot be tried for lack
    /// of a descriptor.
    package var isAnswered: Bool {
        sockets.contains { path in
            let result = unsafe pbpw_socket_connect(path)
            if result >= 0 { close(result) }
            return result >= 0 || [EAGAIN, EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(-result)
        }
    }
}

extension PipeWireConnection {
    /// Finds out why this connection is gone, by comparing it with a connection to the present daemon.
    ///
    /// - Parameters:
    ///   - probe: a new connection to the same place, not opened yet. The caller closes it.
    ///   - timeout: time limit for the daemon's reply.
    /// - Returns: `nil` when the daemon is about to end, or does not answer.
    package func reasonForLoss(probing probe: PipeWireConnection, timeout: Duration) async -> ConnectionLoss? {
        let watch = abortAtEndOfDaemon(probe)
        defer { watch.cancel() }
        do throws(PipeWireError) {
            try await probe.open(timeout: timeout)
        } catch {
            if hasDaemonEnded { return .daemonGone }
            if case .connectionLost = error { return address.isAnswered ? nil : .daemonGone }
            // It says who it is before it reports the graph, which may take it longer than there is time.
            guard probe.cookie != nil else { return nil }
        }
        guard let cookie, let now = probe.cookie else { return .unknown(reason: "it does not identify itself") }
        return cookie == now ? .removed : .daemonRestarted
    }

    /// Whether the daemon of this connection has ended for certain.
    package var hasDaemonEnded: Bool { daemon?.hasEnded == true }

    /// Ends the wait of a probe when the daemon has ended: another process may hold the socket open.
    private func abortAtEndOfDaemon(_ probe: PipeWireConnection) -> LoopTimer {
        weak var timer: LoopTimer?
        let watch = LoopTimer(on: loop, after: Self.lookInterval) { [unowned self, unowned probe] in
            if hasDaemonEnded { probe.abort() } else { timer?.arm(after: Self.lookInterval) }
        }
        timer = watch
        return watch
    }

    private static let lookInterval: Duration = .milliseconds(20)

    /// What is known of a daemon that ended this connection and does not answer.
    package var silentDaemon: SilentDaemon {
        guard let daemon, !daemon.hasEnded, daemon.listens(at: address) else { return .unknown }
        return daemon.isStopped ? .stopped : .runs
    }
}

/// What is known of a daemon that has ended a connection and does not answer.
package enum SilentDaemon: Sendable {
    /// Its process is there and is stopped. So it ended this connection and no other, before it was stopped.
    case stopped
    /// Its process is there. It hangs, or it is about to end.
    case runs
    case unknown
}
