// SPDX-License-Identifier: MIT
import PipeBus

/// Two ports whose channels do not go together, and the commands that connect them all the same. Pure.
struct ChannelAdvice {
    let source: GraphPort
    /// The channel that was named with the source.
    var output: String?
    let destination: GraphPort
    /// The channel that was named with the destination.
    var input: String?
    let graph: GraphSnapshot

    /// The first two ports of a path that do not go together; `nil` if all do.
    static func onPath(_ path: [GraphPort], in graph: GraphSnapshot) -> Self? {
        zip(path, path.dropFirst()).first { source, destination in
            graph.connection(from: source.id, to: destination.id) == nil
                && ChannelMatching.pairs(outputs: source.connectableOutputs.count, inputs: destination.laneWidth) == nil
        }
        .map { Self(source: $0, destination: $1, graph: graph) }
    }

    var sentence: String {
        let (outputs, inputs) = (source.connectableOutputs, destination.laneChannels)
        let (given, taken) = (output == nil ? outputs.count : 1, input == nil ? inputs.count : 1)
        let names = [shown(source, output), shown(destination, input)]
        return
            "\(names[0]) gives \(DiagramText.channels(given)) and \(names[1]) takes \(DiagramText.channels(taken)), which do not go "
            + "together; \(advice(outputs, inputs, given))."
    }

    private func advice(_ outputs: [GraphPort.Channel], _ inputs: [GraphPort.Channel], _ given: Int) -> String {
        let into = input ?? (inputs.count > 1 ? Self.name(of: 0, in: inputs) : nil)
        let end = word(destination, into)
        guard given > 1 else { return "\"pipebus connect \(word(source, output)) \(end)\" takes one of the channels" }
        let downmix = "\"pipebus connect \(word(source, nil)) \(end) --downmix\" adds all of them up in one"
        guard input == nil, inputs.count > 1 else {
            let one = Self.name(of: 0, in: outputs)
            return "\(downmix), and \"pipebus connect \(word(source, one)) \(end)\" takes one alone"
        }
        let pairs = (0..<min(outputs.count, inputs.count, 2)).map {
            "\(Self.name(of: $0, in: outputs)):\(Self.name(of: $0, in: inputs))"
        }
        return "\(downmix), and --map \(pairs.joined(separator: ",")) says which go together"
    }

    private func shown(_ port: GraphPort, _ channel: String?) -> String {
        ShellText.shown(Self.joined(graph.uniqueName(of: port), channel))
    }

    private func word(_ port: GraphPort, _ channel: String?) -> String {
        ShellText.quoted(Self.joined(graph.uniqueName(of: port), channel))
    }

    private static func joined(_ name: String, _ channel: String?) -> String {
        channel.map { "\(name):\($0)" } ?? name
    }

    /// The position of a channel, if that finds it and no shell reads it otherwise; its number if not.
    private static func name(of place: Int, in channels: [GraphPort.Channel]) -> String {
        guard let position = channels[place].position, ShellText.quoted(position) == position,
            !position.contains(where: { $0 == ":" || $0 == "," }),
            ChannelPairing.index(of: position, in: channels) == place
        else { return "\(place + 1)" }
        return position
    }
}
