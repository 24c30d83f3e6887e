// SPDX-License-Identifier: MIT
import Dispatch
import Foundation

/// Where a run happens: a folder that goes with it, one processor, and an environment in which nothing leads to the
/// user's own daemon.
final class Workplace {
    let processor: Int
    let folder: URL
    /// Where the programs that are compared are: beside this one.
    let executables: URL
    private(set) var environment: [String: String]
    private var signalSources: [any DispatchSourceSignal] = []

    init(processor: Int) throws {
        self.processor = processor
        executables = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("pipebus-bench-\(UUID().uuidString)")
        environment = ProcessInfo.processInfo.environment
        for name in ["REMOTE", "CORE", "RUNTIME_DIR", "LATENCY", "QUANTUM", "RATE", "PROPS", "AUTOCONNECT", "NODE"] {
            environment["PIPEWIRE_\(name)"] = nil
        }
        environment["XDG_RUNTIME_DIR"] = folder.path
        try requireCommands()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// The programs end with this one, by themselves; the folder has to be removed.
    func removeWhenInterrupted() {
        for number in [SIGINT, SIGTERM] {
            // A handler that does nothing, not SIG_IGN: the programs would inherit that.
            signal(number) { _ in }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [folder] in
                try? FileManager.default.removeItem(at: folder)
                exit(128 + number)
            }
            source.resume()
            signalSources.append(source)
        }
    }

    func hasCommand(_ command: String) -> Bool {
        (environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(command)")
        }
    }

    private func requireCommands() throws {
        let packages = [
            ("pipewire", "pipewire"), ("pw-link", "pipewire-bin"), ("pw-mon", "pipewire-bin"),
            ("pw-jack", "pipewire-jack"),
            ("valgrind", "valgrind"), ("callgrind_control", "valgrind"), ("taskset", "util-linux"),
            ("setpriv", "util-linux"),
        ]
        for (command, package) in packages where !hasCommand(command) {
            throw BenchError("The command \(command) is missing; install it: apt-get install \(package)")
        }
    }
}
