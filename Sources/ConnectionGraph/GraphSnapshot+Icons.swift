// SPDX-License-Identifier: MIT

extension GraphSnapshot {
    /// One icon for the destinations of a port's sound, beside ``destinationsTitle(of:)``: that of the app which owns
    /// them, in the icon theme.
    ///
    /// `nil` for a port without connections, if the destinations have several icons, or if one of them has none.
    public func destinationsIconName(of source: GraphPort.ID) -> String? { iconName(of: ends(of: source)) }

    /// One icon for the origins of a port's sound, beside ``sourcesTitle(of:)``.
    public func sourcesIconName(of destination: GraphPort.ID) -> String? { iconName(of: origins(of: destination)) }

    private func iconName(of ports: [GraphPort]) -> String? {
        let names = Set(ports.map { peer(of: $0)?.iconName })
        return names.count == 1 ? names.first ?? nil : nil
    }
}
