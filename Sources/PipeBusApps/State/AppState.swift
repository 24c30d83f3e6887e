// SPDX-License-Identifier: MIT
import PipeBus

/// What an app gives of its state to a routing, and gets back with it: what it needs to sound as it does now, and not a whole project.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct AppState: Sendable, Hashable {
    /// The kind of the state, by which the app knows it, such as "org.example.synth.patch".
    public var type: String
    /// The version of that kind.
    public var version: UInt32
    /// 0…20 000 000 bytes, of any content.
    public var bytes: [UInt8]

    /// A state. It is checked when it is given to a routing.
    public init(type: String, version: UInt32 = 1, bytes: [UInt8]) {
        (self.type, self.version, self.bytes) = (type, version, bytes)
    }

    /// The largest state, in bytes.
    public static var largestSize: Int { RoutingState.largestSize }
    /// The longest time that an app may take to give or take its state.
    public static let timeLimit: Duration = .seconds(2)

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    func check() throws {
        // The rules are those of the routing that keeps it.
        do throws(RoutingError) { _ = try RoutingState(app: "app", type: type, version: version, bytes: bytes) } catch {
            throw PipeBusError(.invalidArgument, "The state of the app cannot be saved: \(error.problem).")
        }
    }
}
