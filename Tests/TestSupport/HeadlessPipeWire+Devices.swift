// SPDX-License-Identifier: MIT
package import PipeBusTesting

extension HeadlessPipeWire {
    /// Adds a stereo output device without hardware, whose clock drives what is connected to it. Its ports are there soon.
    package func addDevice(named name: String) async throws {
        let settings = """
            { factory.name = support.null-audio-sink node.name = \(name) media.class = Audio/Sink object.linger = true
              priority.driver = 40000 audio.format = F32P audio.rate = 48000 audio.channels = 2
              audio.position = [ FL FR ]
              adapter.auto-port-config = { mode = dsp monitor = true position = preserve } }
            """
        let oneLine = settings.split(separator: "\n").joined(separator: " ")
        let tool = try run("pw-cli", ["create-node", "adapter", oneLine])
        guard try await tool.waitForEnd() == .exited(0) else { throw tool.failure("failed") }
    }
}
