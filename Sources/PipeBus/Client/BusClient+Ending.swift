// SPDX-License-Identifier: MIT
import Glibc

extension BusClient {
    /// The reason why ``runUntilSignal(since:beforeClosing:)`` or ``waitForSignal(since:)`` returned.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum Ending: Sendable, Hashable, CustomStringConvertible {
        /// A signal requested the end of the process: SIGINT, SIGTERM or SIGHUP.
        case signal(Int32)
        /// Another program has removed the client from the graph. The error has the reason. After any other loss of its
        /// connection, such as the end of the daemon, the client connects again and does not end.
        case connectionLost(PipeBusError)
        /// Another app has asked this one to end, as a patchbay does for its user, and the app agreed. Nobody need be asked again.
        case quitRequested(QuitRequest)
        /// The app was launched for the bus, and nothing uses it any more: `AppLife` of PipeBusApps.
        case unused
        /// The client was closed.
        case closed
        /// The task that waited was cancelled.
        case cancelled

        /// One plain sentence.
        public var description: String {
            switch self {
            case .signal(let number): "The app was asked to end (\(Self.name(of: number)))."
            case .connectionLost(let error): error.message
            case .quitRequested(let request):
                request.peer.map { "The app was asked to end by \(Names.shown($0.name))." }
                    ?? "The app was asked to end."
            case .unused: "The app was launched for the bus, and nothing uses it any more."
            case .closed: "The app closed its connection."
            case .cancelled: "The app stopped waiting."
            }
        }

        /// The status for the process to exit with: 1 if the client was removed, otherwise 0.
        public var exitStatus: Int32 {
            if case .connectionLost = self { return EXIT_FAILURE }
            return EXIT_SUCCESS
        }

        /// Ends the process with ``exitStatus``. If the client was removed, the reason is written to standard error first.
        ///
        /// - Realtime: unsafe.
        public func exit() -> Never {
            if exitStatus != EXIT_SUCCESS { ProgramEnd.report(description) }
            Glibc.exit(exitStatus)
        }

        private static func name(of signal: Int32) -> String {
            switch signal {
            case SIGINT: "SIGINT"
            case SIGTERM: "SIGTERM"
            case SIGHUP: "SIGHUP"
            default: "signal \(signal)"
            }
        }
    }
}
