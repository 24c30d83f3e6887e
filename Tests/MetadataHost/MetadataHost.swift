// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient

/// Metadata in a process of its own, which can be suspended or killed and may have another PipeWire loaded than the
/// tests: `own NAME` exports an object, `watch NAME` uses another's.
///
/// It is controlled line by line: `set KEY VALUE`, `remove KEY`. The end of the input ends it.
@main
actor MetadataHost {
    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var connection: PipeWireConnection?
    private var exported: ExportedMetadata?
    private var bound: BoundMetadata?

    private init() throws { loop = try PipeWireLoop() }

    static func main() async {
        let arguments = CommandLine.arguments
        do {
            guard arguments.count == 3, ["own", "watch"].contains(arguments[1]) else { throw PipeWireError.closed }
            let host = try MetadataHost()
            try await host.open(name: arguments[2], owns: arguments[1] == "own")
            while let line = readLine() {
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                do {
                    try await host.perform(words)
                } catch {
                    answer("error \(error)")
                }
            }
            await host.close()
            host.loop.stop()
            answer("ended")
        } catch {
            answer("error \(error)")
        }
    }

    private func open(name: String, owns: Bool) async throws {
        let connection = try PipeWireConnection(loop: loop, properties: [], remote: nil)
        self.connection = connection
        let found = Waiter<UInt32>()
        connection.onRegistryEvent = { event in
            guard case .added(let id, .metadata, let properties) = event, properties["metadata.name"] == name else {
                return
            }
            found.resume(returning: id)
        }
        try await connection.open(timeout: .seconds(5))
        if owns {
            let object = try ExportedMetadata(on: connection, name: name, properties: []) { [unowned self] request in
                assumeIsolated { $0.requested(request) }
            }
            exported = object
            try object.set("volume", to: "0.5", type: "Spa:Float")
            try await object.waitUntilBound()
            answer("ready \(object.globalID ?? 0)")
        } else {
            let id = try await found.value(within: .seconds(10), on: loop, waitingFor: "\(name) to come")
            let object = try BoundMetadata(on: connection, id: id)
            bound = object
            object.onProperty = { answer("property \($0.key ?? "*") \($0.value ?? "-")") }
            object.onFailure = { answer("failure \($0)") }
            try await connection.sync()
            answer("ready \(id)")
        }
    }

    /// Takes a volume from 0 to 1 and nothing else.
    private func requested(_ request: ExportedMetadata.Request) {
        answer("request \(request.key ?? "*") \(request.value ?? "-")")
        guard request.key == "volume", let value = request.value, let volume = Double(value), (0...1).contains(volume)
        else { return }
        try? exported?.set("volume", to: value, type: "Spa:Float")
    }

    private func perform(_ words: [String]) throws {
        switch (words.first, words.count) {
        case ("set", 3):
            try exported?.set(words[1], to: words[2], type: "Spa:String")
            try bound?.set(words[1], to: words[2], type: "Spa:String")
        case ("remove", 2):
            try exported?.remove(words[1])
            try bound?.remove(words[1])
        default: answer("error what is \(words)")
        }
    }

    private func close() async {
        exported?.close()
        bound?.close()
        try? await connection?.sync(timeout: .seconds(2))
        connection?.close()
    }
}

/// From any thread: in one piece and without C's streams, whose lock the reader of the input holds.
private func answer(_ line: String) {
    let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
