// SPDX-License-Identifier: MIT

/// Who an app is on the bus; see ``BusClient/connect(as:name:iconName:remote:allowsConnectionsToSelf:isOneAppAcrossProcesses:timeout:)``.
struct AppIdentity: Sendable {
    var id: String
    var name: String
    var iconName: String?
    var allowsConnectionsToSelf: Bool
    var isOneAppAcrossProcesses: Bool
}
