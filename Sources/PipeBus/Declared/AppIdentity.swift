// SPDX-License-Identifier: MIT

/// The app's identity on the bus; see
/// ``BusClient/connect(as:name:iconName:remote:allowsConnectionsToSelf:isOneAppAcrossProcesses:restoresForeignConnections:waitsForDaemon:timeout:)``.
struct AppIdentity: Sendable {
    var id: String
    var name: String
    var iconName: String?
    var allowsConnectionsToSelf: Bool
    var isOneAppAcrossProcesses: Bool
    var restoresForeignConnections: Bool
}
