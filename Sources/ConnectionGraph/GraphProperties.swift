// SPDX-License-Identifier: MIT

/// The properties of clients, nodes and metadata objects that the graph is built from.
///
/// Nothing else is kept. Another process may add properties without end, under ever new keys.
enum GraphProperties {
    static let known: Set<String> = [
        // Of clients.
        "application.name", "application.process.binary", "application.id", "application.icon-name",
        "pipewire.sec.pid", "client.api",
        // Of nodes.
        client, "node.name", "node.description", "node.nick", "node.driver", "node.group", "node.link-group",
        "node.always-process", "media.class", "media.icon-name", category,
        PipeBusProperty.kind, PipeBusProperty.name, PipeBusProperty.order, PipeBusProperty.laneWidth,
        PipeBusProperty.isSeparate, PipeBusProperty.monitors, PipeBusProperty.monitorsAutomatically,
        PipeBusProperty.isLive, PipeBusProperty.isBypassed,
        PipeBusProperty.stalledSources, PipeBusProperty.allowsSelf, PipeBusProperty.selfScope, PipeBusProperty.latency,
        PipeBusProperty.follows, PipeBusProperty.auxiliaryOf, PipeBusProperty.isMeter,
        PipeBusProperty.heldExchange, PipeBusProperty.quitAnswer,
        // Of metadata objects.
        "metadata.name", PipeBusProperty.dataKey,
    ]

    /// What kind of node its app calls it.
    static let category = "media.category"

    /// The client that an object belongs to, by its global id. The daemon sets it.
    static let client = "client.id"
}
