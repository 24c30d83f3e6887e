// SPDX-License-Identifier: MIT
import DesktopSupport

/// Something that keeps the system from sleeping, for as long as it is there.
enum SleepInhibition: Sendable {
    /// logind gives a descriptor, and inhibits until it is closed (org.freedesktop.login1(5), "Inhibit"). The reply holds it.
    case logind(DBusReply)
    /// The portal gives a request, and inhibits until that is closed, or its caller leaves the bus.
    case portal(SessionBus, request: String)

    var isLogind: Bool { if case .logind = self { true } else { false } }

    private static let limit: Duration = .seconds(3)

    /// Asks logind; where that is not reachable or refuses, the portal.
    ///
    /// - Throws: ``Failure``.
    static func take(who: String, why: String) async throws(Failure) -> SleepInhibition {
        do {
            return try await fromLogind(who: who, why: why)
        } catch let first {
            do {
                return try await fromPortal(why: why)
            } catch let second {
                throw Failure(logind: Failure.words(of: first), portal: Failure.words(of: second))
            }
        }
    }

    struct Failure: Error {
        let logind: String
        let portal: String

        fileprivate static func words(of error: any Error) -> String {
            (error as? DBusError)?.reason ?? "it sent an answer that it should not"
        }
    }

    private static func fromLogind(who: String, why: String) async throws -> SleepInhibition {
        let reply = try await SystemBus.connect().call(
            "Inhibit", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1",
            ofName: "org.freedesktop.login1", [.string("sleep"), .string(who), .string(why), .string("block")],
            timeout: limit)
        guard let handle = reply.values.first, reply.descriptor(handle) != nil else {
            throw DBusError.remote(name: "", message: "it gave no descriptor")
        }
        return .logind(reply)
    }

    private static func fromPortal(why: String) async throws -> SleepInhibition {
        let bus = try await SessionBus.connect()
        // 4: suspend.
        let reply = try await bus.call(
            "Inhibit", of: Portal.inhibit, at: Portal.path, ofName: Portal.name,
            [.string(""), .uint32(4), .dictionary(["reason": .string(why)])], timeout: limit)
        guard case .objectPath(let request)? = reply.values.first else {
            throw DBusError.remote(name: "", message: "it gave no request")
        }
        return .portal(bus, request: request)
    }

    /// Lets the system sleep again.
    consuming func release() async {
        // logind's ends with its descriptor, when the reply goes.
        guard case .portal(let bus, let request) = self else { return }
        _ = try? await bus.call(
            "Close", of: Portal.request, at: request, ofName: Portal.name, startsService: false, timeout: Self.limit)
    }
}
