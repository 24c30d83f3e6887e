// SPDX-License-Identifier: MIT

/// Names that stand for one port and no other, as long as it is there: "name:serial" or ":serial".
///
/// PipeBus allows no ":" in the names of apps and ports, so none of those is read as such a name. A foreign node may be
/// called anything, also "twin:45". Therefore this form is tried before all others: whatever else there is, the name of a port
/// with its own serial behind it finds that port.
extension GraphSnapshot {
    /// A longer name, which only a foreign node can have, is left out of ``uniqueName(of:)``.
    private static let longestName = 300

    /// A name that finds exactly this port with ``port(named:as:)``, for whatever the port can be connected as.
    ///
    /// It is the port's ``GraphPort/nodeName`` if that is enough. Otherwise it is "name:serial" with the port's
    /// ``GraphPort/ID/serial``, such as "twin:45". A name that cannot be typed well is left out, as in ":45".
    public func uniqueName(of port: GraphPort) -> String {
        let name = port.nodeName
        // One that begins with a dash would be an option of the command that it is given to.
        guard !name.isEmpty, name.utf8.count <= Self.longestName, !name.hasPrefix("-"), !name.contains("\"") else {
            return ":\(port.id.serial)"
        }
        let roles: [Role] = (port.outputs.isEmpty ? [] : [.source]) + (port.inputs.isEmpty ? [] : [.destination])
        let isEnough = roles.allSatisfy { self.port(named: name, as: $0) == .found(port) }
        return isEnough ? name : "\(name):\(port.id.serial)"
    }

    /// A port by its unique name or its node's name, whatever it can be connected as.
    package func port(exactlyNamed name: String) -> GraphPort? {
        byUniqueName(name, in: ports) ?? ports.first { $0.nodeName == name }
    }

    /// The port that a name with a serial stands for.
    func byUniqueName(_ text: String, in candidates: [GraphPort]) -> GraphPort? {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text.utf8[text.utf8.index(after: colon)...]
        // One text for one serial: no zeros in front, no sign.
        guard !digits.isEmpty, digits.first != UInt8(ascii: "0"), digits.allSatisfy({ 48...57 ~= $0 }),
            let serial = UInt64(String(text[text.index(after: colon)...])),
            let port = candidates.first(where: { $0.id.serial == serial })
        else { return nil }
        let name = String(text[..<colon])
        // So a serial from an earlier daemon is not taken for another port's.
        return name.isEmpty || fits(name, port) ? port : nil
    }
}
