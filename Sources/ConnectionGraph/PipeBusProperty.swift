// SPDX-License-Identifier: MIT

/// The node properties by which PipeBus apps know each other's ports. Other tools may ignore them.
package enum PipeBusProperty {
    /// "sender", "filter" or "receiver".
    package static let kind = "pipebus.port.kind"
    /// The port's name within its app.
    package static let name = "pipebus.port.name"
    /// Its place in the order in which the app added its ports, from 0.
    package static let order = "pipebus.port.order"
    /// Channels of one lane.
    package static let laneWidth = "pipebus.lane.width"
    /// "true": a receiver that hands over its sources one by one. It does not mix them, so they have no levels. Without
    /// the property, as in older versions, a receiver counts as one that mixes.
    package static let isSeparate = "pipebus.separate"
    /// "true": a receiver whose app plays its input.
    package static let monitors = "pipebus.monitors"
    /// "true": it plays its input by itself, because nobody else does.
    package static let monitorsAutomatically = "pipebus.monitors.automatically"
    /// "true": a sender whose sound comes from a microphone or another live source.
    package static let isLive = "pipebus.live"
    /// "true": a bypassed filter.
    package static let isBypassed = "pipebus.bypassed"
    /// The sources that hang and were disconnected until they answer: serials of nodes with "," between them.
    package static let stalledSources = "pipebus.stalled"
    /// Not a property, but the key of a request: forget a source that hangs, by the serial of its node.
    package static let forgetStalled = "pipebus.stalled.forget"
    /// Keys of requests too, with the serials of sources that leave a receiver and of those that come for them: "8,9 12". The first
    /// holds the new ones silent when they come; the second lets them be heard, and ends the connections of the old ones.
    package static let holdSources = "pipebus.exchange.hold"
    package static let exchangeSources = "pipebus.exchange"
    /// The key of a request too, with the same text: nobody will request the exchange of the sources that are held.
    package static let cancelExchange = "pipebus.exchange.cancel"
    /// The exchange for which a filter is ready, as the text of the request; empty without one. A filter without the property, as of an
    /// older version, exchanges nothing.
    package static let heldExchange = "pipebus.exchange.held"
    /// The property that another app requests to change: it asks the app of the port to end.
    package static let quitRequest = "pipebus.quit"
    /// The app's answer to the last such request.
    package static let quitAnswer = "pipebus.quit.answer"
    /// Of a metadata object: the key of the data that an app publishes with it.
    package static let dataKey = "pipebus.data.key"
    /// "true": ports of the app may be connected to each other.
    package static let allowsSelf = "pipebus.self.allowed"
    /// "application": all processes of that application id are one app.
    package static let selfScope = "pipebus.self.scope"
    /// The latency that the port adds, in frames; changes while it runs.
    package static let latency = "pipebus.latency"
    /// The receiver of its app that a sender's sound comes from, by name: the sender's latency follows it.
    package static let follows = "pipebus.follows"
    /// The filter of its app whose auxiliary input a receiver is, by name.
    package static let auxiliaryOf = "pipebus.auxiliary"
    /// "true": a receiver that measures what passes between other ports. It is in the graph of its own app alone.
    package static let isMeter = "pipebus.meter"
    /// The `media.category` of a tap: a node that has what the input of a filter of its app has, while sources of that are exchanged. It is
    /// in no graph. The daemon announces a node with its category; properties of our own come later.
    package static let tapCategory = "PipeBus/Tap"
    /// Version of these properties.
    package static let protocolVersion = "pipebus.protocol"
}
