// SPDX-License-Identifier: MIT

extension Source {
    /// The identity of a source over time: it is equal when the source comes back, and when either app is started again.
    ///
    /// It rests on names, which apps choose. Use it to remember a source, not to trust it.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Identity: Sendable, Hashable, Codable {
        /// The app's reverse-DNS id, if it gave one.
        public let applicationID: String?
        /// The port's `node.name`.
        public let nodeName: String

        /// An identity that was kept elsewhere.
        public init(applicationID: String?, nodeName: String) {
            self.applicationID = applicationID
            self.nodeName = nodeName
        }
    }
}
