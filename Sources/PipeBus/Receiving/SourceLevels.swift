// SPDX-License-Identifier: MIT

/// The levels of a receiver's sources, connected now or once, for an app to save and give back at its next start.
///
/// ```swift
/// let data = try JSONEncoder().encode(await input.levels)
/// try await input.restore(try JSONDecoder().decode(SourceLevels.self, from: data))
/// ```
///
/// - Thread: any. A value.
public struct SourceLevels: Sendable, Hashable, Codable {
    private struct Entry: Hashable, Codable, Sendable {
        var source: SourceIdentity
        var level: SourceLevel
    }

    private var levels: [SourceIdentity: SourceLevel] = [:]

    /// Of no source yet.
    public init() {}

    /// The level of a source: the default for one that is not known. Setting the default forgets it.
    public subscript(source: SourceIdentity) -> SourceLevel {
        get { levels[source] ?? SourceLevel() }
        set { levels[source] = newValue == SourceLevel() ? nil : newValue }
    }

    /// The sources whose level is not the default, in no order.
    public var sources: [SourceIdentity] { Array(levels.keys) }

    // An object, so that more can be saved in it one day.
    private enum CodingKeys: String, CodingKey { case sources }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        for entry in try container.decode([Entry].self, forKey: .sources) { self[entry.source] = entry.level }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let order = { (source: SourceIdentity) in (source.applicationID ?? "", source.nodeName) }
        let entries = levels.sorted { order($0.key) < order($1.key) }.map { Entry(source: $0.key, level: $0.value) }
        try container.encode(entries, forKey: .sources)
    }
}
