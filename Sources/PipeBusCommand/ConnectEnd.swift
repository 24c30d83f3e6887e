// SPDX-License-Identifier: MIT
import PipeBus

/// An end of a connection as it was typed: a port, or a channel of it, as in "Lead:FL". Pure.
struct ConnectEnd {
    let port: String
    let channel: String?

    /// - Parameter isTyped: whether the port's name may be short of the whole one.
    init(_ text: String, _ role: GraphSnapshot.Role, in graph: GraphSnapshot, isTyped: Bool) {
        func look(_ name: String) -> GraphSnapshot.Lookup {
            isTyped ? graph.port(typed: name, as: role) : graph.port(named: name, as: role)
        }
        // A port of that name comes first: "Piano:Main", and ":45".
        if look(text) == .missing, let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), colon > text.startIndex {
            let name = String(text[..<colon])
            let channel = String(text.utf8[text.utf8.index(after: colon)...]) ?? ""
            let known = look(name).ports.contains { port in
                ChannelPairing.index(of: channel, in: role == .source ? port.outputs : port.inputs) != nil
            }
            if known || ChannelPairing.isPosition(channel) {
                (port, self.channel) = (name, channel)
                return
            }
        }
        (port, channel) = (text, nil)
    }
}
