import Glibc
import PipeBusActions

@main
struct Louder: AudioAction {
    static let description = ActionDescription(
        id: "org.example.Louder", name: "Make Louder", suffix: "Louder",
        parameters: [.number("gain", title: "Gain", in: -24...24, unit: "dB", default: 6)])

    func process(_ request: ActionRequest) async throws {
        let factor = pow(10, request.number("gain") / 20)
        for input in try request.inputs {
            let output = try request.makeOutput(for: input)
            while true {
                var block = try input.read(upTo: input.blockFrameCount)
                if block.isEmpty { break }
                block.samples = block.samples.map { $0 * factor }
                try output.write(block)
            }
        }
    }
}
