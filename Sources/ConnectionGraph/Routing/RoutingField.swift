// SPDX-License-Identifier: MIT

/// A value of a routing's text, with the path that leads to it. Reading it as something that it is not is an error that names the
/// place. Pure.
struct RoutingField {
    let node: JSONNode
    let path: String

    func error(_ problem: String) -> RoutingError {
        RoutingError(at: path.isEmpty ? "line \(node.line)" : "line \(node.line) (\(path))", problem)
    }

    /// Performs a check of values that knows no place, or one of its own.
    func located<Result>(_ body: () throws(RoutingError) -> Result) throws(RoutingError) -> Result {
        do throws(RoutingError) { return try body() } catch { throw self.error(error.problem) }
    }

    private func isNot(_ what: String) -> RoutingError { error("this is \(node.kind), and must be \(what)") }

    // MARK: Objects and lists

    /// The member of an object; `nil` if it has none of that key.
    func member(_ key: String) throws(RoutingError) -> RoutingField? {
        guard case .object(let members) = node.value else { throw isNot("an object") }
        guard let member = members.first(where: { $0.key == key }) else { return nil }
        return RoutingField(node: member.value, path: path.isEmpty ? key : "\(path).\(key)")
    }

    func required(_ key: String) throws(RoutingError) -> RoutingField {
        guard let member = try member(key) else { throw error("\"\(key)\" is missing") }
        return member
    }

    /// The number of keys of an object that are looked at. A stranger's may have a million.
    private static let mostKeys = 64

    /// Refuses a key that is nearly one of these: it is misspelt. Others may be of a later PipeBus, or a person's own.
    func check(keys known: [String]) throws(RoutingError) {
        guard case .object(let members) = node.value else { return }
        for (key, value) in members.filter({ !known.contains($0.key) }).prefix(Self.mostKeys) {
            guard let meant = EditDistance.nearest(to: key, among: known) else { continue }
            throw RoutingField(node: value, path: path).error(
                "\"\(RoutingError.shown(key))\" has no meaning here; did you mean \"\(meant)\"?")
        }
    }

    func list() throws(RoutingError) -> [RoutingField] {
        guard case .list(let elements) = node.value else { throw isNot("a list") }
        return elements.enumerated().map { RoutingField(node: $1, path: "\(path)[\($0)]") }
    }

    /// - Parameter most: checked before the elements are read.
    func list(ofAtMost most: Int, _ what: String) throws(RoutingError) -> [RoutingField] {
        let elements = try list()
        guard elements.count <= most else {
            throw error("there are \(elements.count) \(what); at most \(most) are allowed")
        }
        return elements
    }

    // MARK: Plain values

    func text() throws(RoutingError) -> String {
        guard case .text(let text) = node.value else { throw isNot("a text") }
        return text
    }

    func bool() throws(RoutingError) -> Bool {
        guard case .bool(let bool) = node.value else { throw isNot("true or false") }
        return bool
    }

    func number() throws(RoutingError) -> Double {
        guard case .number(let number) = node.value else { throw isNot("a number") }
        return number
    }

    func wholeNumber() throws(RoutingError) -> Int {
        guard let number = Int(exactly: try number()) else { throw error("this must be a whole number") }
        return number
    }
}
