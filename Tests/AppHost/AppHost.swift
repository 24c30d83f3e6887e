// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusApps
import RealtimeKit

/// An installed app for tests: it writes what happens to it into a file, and misbehaves as its arguments say.
///
/// `app-host ID NAME LOG MODE PORT…` with a mode of `well`, `exit` (with status 3), `abort`, `hang` (before it is on any bus), `silent` (it is on
/// no session bus), `forgetful` (it keeps no state), `slow`, `refuse` or `crash` (with its state), or `wrong` (its ports have other names). Words after `--` are only noted.
///
/// A port is a mono sender, or with `=filter` behind its name a filter of that many channels as `=filter2` says. The filter's gain is an eighth of
/// the size of its state, which at the start is what the file LOG.size says. With the mode `die` or `stall` its block does so after
/// 100 000 frames, and with `shift` it has another latency then.
@main
enum AppHost {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4 else { exit(64) }
        let (id, name, mode) = (arguments[1], arguments[2], arguments[4])
        let log = Log(path: arguments[3])
        let start = AppStart.ofProcess
        log.write("started \(words(for: start))")
        log.write("words \(arguments.drop { $0 != "--" }.dropFirst())")
        log.write(
            "scheduling \(sched_getscheduler(0)) descriptors \(openDescriptors()) leader \(getsid(0) == getpid())")
        switch mode {
        case "exit": exit(3)
        case "abort": abort()
        case "hang": while true { pause() }
        default: break
        }
        let remote = mode == "silent" ? nil : await AppStart.request(to: id)?.remote
        let bus = try await BusClient.connect(as: id, name: name, remote: remote)
        var gain: Parameter<Float>?
        for port in arguments.dropFirst(5).prefix(while: { $0 != "--" }) {
            let parts = port.split(separator: "=")
            let name = mode == "wrong" ? "not-\(parts[0])" : String(parts[0])
            if parts.count > 1 {
                let parameter = Parameter(Float(log.size) / 8)
                gain = parameter
                try await addFilter(name, to: bus, channels: Int(parts[1].dropFirst(6)) ?? 1, parameter, mode)
            } else {
                _ = try await bus.sender(name, channels: .mono, state: ()) { _, _, _ in }
            }
        }
        if mode != "silent" {
            do {
                let service = try await AppService.start(for: bus) { launch in
                    log.write(
                        "wanted \(launch.port ?? "-") by \(launch.launcherName ?? "-") (\(launch.launcherID ?? "-"))")
                } show: { launch in
                    log.write("show \(launch.activationToken ?? "-")")
                }
                log.write("service \(service.hasName)")
                if mode != "forgetful" { try await keepState(of: id, service, mode, log, gain) }
            } catch {
                log.write("service \(error)")
            }
        }
        let ending = await bus.runUntilSignal()
        log.write("ended \(ending)")
        ending.exit()
    }

    private struct Amplifier: ~Copyable, Sendable {
        let gain: Parameter<Float>.Reader
        var frames = 0
    }

    private static func addFilter(
        _ name: String, to bus: BusClient, channels: Int, _ gain: Parameter<Float>, _ mode: String
    ) async throws {
        let (dies, stalls) = (mode == "die", mode == "stall")
        let amplifier = Amplifier(gain: gain.makeReader())
        let port = try await bus.filter(name, inputs: .channels(channels), state: amplifier) {
            state, cycle, input, output in
            state.frames += cycle.frameCount
            if state.frames > 100_000, dies { _ = kill(getpid(), SIGKILL) }
            if state.frames > 100_000, stalls { while true { pause() } }
            let gain = state.gain.value
            for channel in 0..<output.count {
                let samples = input[channel]
                output.fill(channel) { frame in gain * samples[frame] }
            }
        }
        guard mode == "shift" else { return }
        Task {
            for await _ in bus.activity(every: .milliseconds(100)) where try await port.statistics.frames > 100_000 {
                return try await port.setLatency(64)
            }
        }
    }

    /// The state is as many bytes as the file LOG.size says, 5 without it, or of a filter as its gain says: the number of each is its place.
    private static func keepState(
        of id: String, _ service: AppService, _ mode: String, _ log: Log, _ gain: Parameter<Float>?
    ) async throws {
        try await service.keepState {
            switch mode {
            case "slow":
                let (never, end) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
                end.finish()
            case "refuse": throw PipeBusError(.notSupported, "The song is being written.")
            case "crash": abort()
            default: break
            }
            return AppState(
                type: "\(id).state", version: 7, bytes: Self.bytes(gain.map { Int($0.value * 8) } ?? log.size))
        } load: { state, routing in
            let isRight = state.bytes == Self.bytes(state.bytes.count)
            gain?.value = Float(state.bytes.count) / 8
            log.write("load \(state.type) \(state.version) \(state.bytes.count) \(isRight) \(routing ?? "-")")
            return mode == "message" ? "2 samples are\u{1B} missing" : nil
        }
    }

    /// In pieces, because a debug build takes seconds for twenty million bytes one by one.
    private static func bytes(_ count: Int) -> [UInt8] {
        let piece = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + piece.count)
        while bytes.count < count { bytes += piece }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    private static func words(for start: AppStart) -> String {
        switch start {
        case .normal: "normally"
        case .byDBus: "by D-Bus"
        case .forBus(let launch):
            "for \(launch.port ?? "-") by \(launch.launcherID ?? "-") token \(launch.activationToken ?? "-")"
        }
    }

    private static func openDescriptors() -> String {
        (0..<256).filter { fcntl($0, F_GETFD) >= 0 }.map(String.init).joined(separator: ",")
    }

    /// Each line is one write, so that lines of several processes stay whole.
    private struct Log: Sendable {
        let path: String

        /// Of the state, in bytes.
        var size: Int {
            guard let file = unsafe fopen(path + ".size", "r") else { return 5 }
            defer { unsafe fclose(file) }
            var digits = [CChar](repeating: 0, count: 16)
            guard unsafe fgets(&digits, 16, file) != nil else { return 5 }
            return unsafe Int(atol(digits))
        }

        func write(_ line: String) {
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            let text = "\(getpid()) \(line)\n"
            _ = unsafe Glibc.write(descriptor, text, text.utf8.count)
        }
    }
}
