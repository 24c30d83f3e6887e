// SPDX-License-Identifier: MIT
public import PipeBus

/// The faces of apps and ports: pictures that an app publishes, for a machine on which it is not installed, or that change while it runs.
///
/// They are published data (``BusClient/publish(_:forKey:)``) under the keys "icon.png" and "icon/PORT.png". 136 × 136 pixels are usual.
extension BusClient {
    /// Publishes the app's face, or that of one of its ports, in place of what was there.
    ///
    /// - Parameter port: the port's name; `nil` for the app's own face. The port may be added later.
    /// - Throws: ``PipeBusError`` `invalidArgument` for a name that no port can have, or of more than 119 bytes; `timedOut`, `closed`.
    public func publishIcon(_ picture: PNGImage, ofPort port: String? = nil) async throws {
        try await publish(picture.bytes, forKey: try IconKey.key(ofPort: port))
    }

    /// Takes a face back. Idempotent.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument`, `closed`.
    public func unpublishIcon(ofPort port: String? = nil) async throws {
        try unpublish(try IconKey.key(ofPort: port))
    }

    /// Reads the face that an app publishes for itself, or for one of its ports.
    ///
    /// - Parameters:
    ///   - port: the port's name; `nil` for the app's own face.
    ///   - timeout: time limit for the daemon's answer, and again for the app's.
    /// - Returns: `nil` if the app publishes none.
    /// - Throws: ``PipeBusError`` `notSupported` for a picture that is not what it says; otherwise as
    ///   ``BusClient/publishedData(forKey:of:timeout:)``.
    public func publishedIcon(
        of peer: Peer.ID, port: String? = nil, timeout: Duration = .seconds(2)
    ) async throws -> PNGImage? {
        let key = try IconKey.key(ofPort: port)
        guard let bytes = try await publishedData(forKey: key, of: peer, timeout: timeout) else { return nil }
        do {
            return try PNGImage(bytes)
        } catch let error as PipeBusError {
            throw PipeBusError(.notSupported, error.message)
        }
    }
}

/// The keys of published faces.
enum IconKey {
    static let app = "icon.png"

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    static func key(ofPort port: String?) throws -> String {
        guard let port else { return app }
        try Names.check(name: port, of: "a port")
        return "icon/\(port).png"
    }
}
