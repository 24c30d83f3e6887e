// SPDX-License-Identifier: MIT

/// Who a source is over time: the same when it goes and comes back, and when either app is started again. It rests on
/// names, which apps choose, so it is for remembering and not for trusting.
///
/// - Thread: any. A value.
public struct SourceIdentity: Sendable, Hashable, Codable {
    /// The app's reverse-DNS id, if it gave one.
    public let applicationID: String?
    /// The port's `node.name`.
    public let nodeName: String

    public init(applicationID: String?, nodeName: String) {
        self.applicationID = applicationID
        self.nodeName = nodeName
    }
}
