// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// Why a connection to a daemon is gone. libpipewire says "connection error" for all of these.
package enum ConnectionLoss: Sendable, Equatable {
    /// Nobody listens where the daemon did.
    case daemonGone
    /// Another daemon listens there by now.
    case daemonRestarted
    /// The same daemon is there: it has ended this connection, and no other.
    case removed
    /// A message that brings a descriptor breaks the connection when the process may have no more.
    case fewDescriptors(left: Int, limit: Int)
    /// The two no longer understand each other.
    case garbled(reason: String)
    /// None of these is known.
    case unknown(reason: String)

    /// What can be said at once.
    ///
    /// - Parameter code: the errno that libpipewire gives. A descriptor that could not be received is EPROTO to it.
    init(at address: RemoteAddress, code: Int32, reason: String) {
        if !address.isAnswered {
            self = .daemonGone
        } else if let scarcity = DescriptorScarcity.now {
            self = .fewDescriptors(left: scarcity.left, limit: scarcity.limit)
        } else {
            self = code == EPROTO ? .garbled(reason: reason) : .unknown(reason: reason)
        }
    }
}

/// So few file descriptors left that libpipewire cannot do its work, nor say why.
package struct DescriptorScarcity: Equatable {
    package let left: Int
    package let limit: Int

    /// What a connection and a first port take, and some.
    private static let margin = 16

    /// `nil` while there are enough. Looks at numbers only: opening some to see would take them from other threads.
    package static var now: DescriptorScarcity? {
        var limits = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return nil }
        let limit = Int(clamping: limits.rlim_cur)
        var left = 0
        for descriptor in 0..<Int32(clamping: limit) where fcntl(descriptor, F_GETFD) == -1 {
            left += 1
            if left >= margin { return nil }
        }
        return DescriptorScarcity(left: left, limit: limit)
    }
}

extension RemoteAddress {
    /// Whether somebody listens on any of the sockets, also one that has no time, or whom we have no descriptor to ask.
    var isAnswered: Bool {
        sockets.contains { path in
            let result = unsafe pbpw_socket_connect(path)
            if result >= 0 { close(result) }
            return result >= 0 || [EAGAIN, EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(-result)
        }
    }
}

extension PipeWireConnection {
    /// Finds out why this connection is gone, by asking whoever listens now who it is.
    ///
    /// - Parameters:
    ///   - probe: a new connection to the same place, not opened yet. The caller closes it.
    ///   - timeout: how long the daemon may take.
    /// - Returns: `nil` when a daemon is there that is about to go.
    package func reasonForLoss(asking probe: PipeWireConnection, timeout: Duration) async -> ConnectionLoss? {
        do throws(PipeWireError) {
            try await probe.open(timeout: timeout)
        } catch {
            guard case .connectionLost = error else { return .unknown(reason: "it does not answer") }
            return address.isAnswered ? nil : .daemonGone
        }
        guard let cookie, let now = probe.cookie else { return .unknown(reason: "it does not say who it is") }
        return cookie == now ? .removed : .daemonRestarted
    }
}
