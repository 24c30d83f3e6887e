// SPDX-License-Identifier: MIT

/// The mix levels of a receiver's present and past sources, for an app to save and restore.
///
/// ```swift
/// let data = try JSONEncoder().encode(await input.levels)
/// try await input.restore(try JSONDecoder().decode(SourceLevels.self, from: data))
/// ```
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SourceLevels: Sendable, Hashable, Codable {
    private struct Entry: Hashable, Codable, Sendable {
        var source: Source.Identity
        var level: Source.Level
    }

    private var levels: [Source.Identity: Source.Level] = [:]

    /// Creates mix levels that are the default for every source.
    public init() {}

    /// The mix level of a source: the default for an unknown source. Setting the default removes the source.
    public subscript(source: Source.Identity) -> Source.Level {
        get { levels[source] ?? Source.Level() }
        set { levels[source] = newValue == Source.Level() ? nil : newValue }
    }

    /// The sources whose mix level is not the default, in no order.
    public var sources: [Source.Identity] { Array(levels.keys) }

    // An object, so that later versions can save more in it.
    private enum CodingKeys: String, CodingKey { case sources }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        for entry in try container.decode([Entry].self, forKey: .sources) { self[entry.source] = entry.level }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let order = { (source: Source.Identity) in (source.applicationID ?? "", source.nodeName) }
        let entries = levels.sorted { order($0.key) < order($1.key) }.map { Entry(source: $0.key, level: $0.value) }
        try container.encode(entries, forKey: .sources)
    }
}
