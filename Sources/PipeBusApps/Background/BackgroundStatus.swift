// SPDX-License-Identifier: MIT
import DesktopSupport
import PipeBus

/// What the desktop shows of an app that plays without a window.
///
/// ```swift
/// do { try await BackgroundStatus.set("Playing") } catch { print(error) }
/// ```
///
/// - Thread: any.
/// - Realtime: unsafe.
public enum BackgroundStatus {
    /// Number of characters of a message: 96.
    public static let longestMessage = 96

    /// Tells the desktop what the app does in the background, through the portal `org.freedesktop.portal.Background` (version 2).
    ///
    /// Where there is no such portal, the call says so, and nothing else happens. xdg-desktop-portal takes a status of sandboxed apps alone, such as
    /// those of Flatpak.
    ///
    /// - Parameters:
    ///   - message: for a list, on one line, such as "Playing": 1…96 characters; `nil` takes it back.
    ///   - timeout: time limit for the answer.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `noSessionBus`, `notSupported` without such a portal, `refused`, `timedOut`.
    public static func set(_ message: String?, timeout: Duration = .seconds(5)) async throws {
        if let message,
            !(1...longestMessage ~= message.unicodeScalars.count) || TerminalText.printable(message) != message
        {
            throw PipeBusError(
                .invalidArgument, "A background status has 1 to \(longestMessage) characters on one line; shorten it.")
        }
        do {
            _ = try await SessionBus.connect().call(
                "SetStatus", of: Portal.background, at: Portal.path, ofName: Portal.name,
                [.dictionary(message.map { ["message": .string($0)] } ?? [:])], timeout: timeout)
        } catch let error as DBusError {
            throw failure(of: error)
        }
    }

    private static func failure(of error: DBusError) -> PipeBusError {
        let reason = Names.shown(error.reason)
        switch error {
        case .noBus:
            return PipeBusError(
                .noSessionBus,
                "There is no session bus (\(reason)), so the desktop cannot show that the app plays; everything else works without."
            )
        case .unknownName, .unknownMethod, .spawnFailed:
            return PipeBusError(
                .notSupported,
                "The desktop has no portal that shows what apps do in the background (\(reason)); everything else works without."
            )
        case .timedOut, .disconnected:
            return PipeBusError(.timedOut, "The desktop's portal does not answer (\(reason)); try again later.")
        case .remote:
            return PipeBusError(
                .refused,
                "The desktop does not show what this app does in the background (\(reason)); everything else works without."
            )
        }
    }
}
