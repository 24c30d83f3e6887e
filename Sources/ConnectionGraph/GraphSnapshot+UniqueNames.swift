// SPDX-License-Identifier: MIT

/// Names that stand for one port and no other, as long as it is there: "name:serial" or ":serial".
///
/// PipeBus allows no ":" in the names of apps and ports, so no such name is read as a unique name. A foreign node may
/// have any name, also "twin:45". Therefore this form is tried first: the name of a port followed by its own serial
/// always finds that port.
extension GraphSnapshot {
    /// The longest name that is part of a ``uniqueName(of:)``, in bytes. Only a foreign node can have a longer one.
    private static let longestName = 300

    /// A name that finds exactly this port with ``port(named:as:)``, in any role that the port can play.
    ///
    /// The port's ``GraphPort/nodeName`` if that is unique. Otherwise "name:serial" with the port's
    /// ``GraphPort/ID/serial``, such as "twin:45". A name that cannot be typed, because it begins with a dash or is
    /// longer than 300 bytes, is left out, as in ":45". A name may hold any other characters, also quotation marks.
    ///
    /// - Complexity: O(*n*) in the number of ports for the first use in a snapshot and its copies, then O(1).
    public func uniqueName(of port: GraphPort) -> String {
        let name = port.nodeName
        // A name that begins with a dash would be read as an option.
        guard !name.isEmpty, name.utf8.count <= Self.longestName, !name.hasPrefix("-") else {
            return ":\(port.id.serial)"
        }
        let roles: [Role] = (port.outputs.isEmpty ? [] : [.source]) + (port.inputs.isEmpty ? [] : [.destination])
        return roles.allSatisfy { isNodeNameEnough(for: port, as: $0) } ? name : "\(name):\(port.id.serial)"
    }

    /// Whether ``port(named:as:)`` finds a port by its node's name, which is found without asking that for each of many ports.
    private func isNodeNameEnough(for port: GraphPort, as role: Role) -> Bool {
        guard self.port(port.id) == port else { return false }
        let other = byUniqueName(NameMatch(port.nodeName)) {
            role == .source ? !$0.outputs.isEmpty : !$0.inputs.isEmpty
        }
        return other.map { $0 == port } ?? (nodeNameCounts.count(of: port.nodeName, as: role) == 1)
    }

    /// A port by its unique name or its node's name, in any role.
    package func port(exactlyNamed name: String) -> GraphPort? {
        byUniqueName(NameMatch(name), in: ports) ?? ports.first { $0.nodeName == name }
    }

    /// The port that a name with a serial stands for.
    func byUniqueName(_ match: NameMatch, in candidates: [GraphPort]) -> GraphPort? {
        byUniqueName(match) { port in candidates.contains { $0.id == port.id } }
    }

    private func byUniqueName(_ match: NameMatch, _ isCandidate: (GraphPort) -> Bool) -> GraphPort? {
        let text = match.text
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text.utf8[text.utf8.index(after: colon)...]
        // One text for one serial: no leading zeros, no sign.
        guard !digits.isEmpty, digits.first != UInt8(ascii: "0"), digits.allSatisfy({ 48...57 ~= $0 }),
            let serial = UInt64(String(text[text.index(after: colon)...])),
            let port = port(GraphPort.ID(serial: serial)), isCandidate(port)
        else { return nil }
        let name = String(text[..<colon])
        // The name must fit too: a serial of an earlier daemon is not taken for another port's.
        guard !name.isEmpty else { return port }
        return NameMatch(name, match.comparison).map { fits($0, port) } == true ? port : nil
    }
}
