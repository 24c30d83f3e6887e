// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc
import PipeBus
import PipeBusTesting

/// A daemon in this process, whose cycles are run one by one.
@safe final class SteppedGraph {
    private let directory: String
    private let stepper: OpaquePointer
    private var unfinished = 0
    private var devices: [ForeignDevice] = []

    /// The address for clients.
    let remote = "probe"

    init() throws {
        let temporary = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(temporary)/pipebus-probe-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw PipeBusError(.pipeWire, "no temporary folder for the probe")
        }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        unsafe setenv("XDG_RUNTIME_DIR", directory, 1)
        unsafe unsetenv("PIPEWIRE_RUNTIME_DIR")
        var error: Int32 = 0
        guard let stepper = unsafe pbpw_stepper_create(remote, 48000, 1024, &error) else {
            throw PipeBusError(.pipeWire, "no stepper: error \(-error)")
        }
        unsafe self.stepper = unsafe stepper
    }

    func run(_ cycles: Int, quanta: [UInt32] = [1024]) throws {
        for cycle in 0..<cycles {
            let result = unsafe pbpw_stepper_step(stepper, quanta[cycle % quanta.count], 5000)
            guard result == 0 else { throw PipeBusError(.pipeWire, "a step failed with \(result)") }
        }
    }

    /// Runs a cycle while links are made and removed.
    ///
    /// PipeWire 0.3.65 can leave a cycle unfinished that runs while a link is removed from it: one part then waits for
    /// another that no longer signals it. The next cycle is whole again.
    func runAmongChanges(_ frames: UInt32) throws {
        let result = unsafe pbpw_stepper_step(stepper, frames, 1000)
        if result == -ETIMEDOUT { unfinished += 1 }
        guard result == 0 || (result == -ETIMEDOUT && unfinished <= 10) else {
            throw PipeBusError(
                .pipeWire, "a step among changes failed with \(result), after \(unfinished) unfinished ones")
        }
    }

    /// Begins cycles without waiting for their ends, so that some are missed.
    func hurry(_ cycles: Int) {
        for _ in 0..<cycles { _ = unsafe pbpw_stepper_step(stepper, 64, 0) }
    }

    /// Begins another clock: the driver stood still for a second, or was restarted.
    func standStill() { unsafe pbpw_stepper_move_clock(stepper, pbpw_stepper_position(stepper), 1_000_000_000) }
    func restartClock() { unsafe pbpw_stepper_move_clock(stepper, 0, 1_000_000_000) }

    /// Adds an output device without hardware, and makes it the default.
    func addDevice(_ name: String) async throws {
        devices.append(try ForeignDevice(name, at: "\(directory)/\(remote)"))
        try await run(
            "pw-metadata", ["-n", "default", "0", "default.audio.sink", "{\"name\":\"\(name)\"}", "Spa:String:JSON"])
    }

    /// Runs one of PipeWire's tools to its end.
    func run(_ program: String, _ arguments: [String]) async throws {
        var environment = ChildEnvironment.isolated(
            runtimeDirectory: directory, remote: "\(directory)/\(remote)", installation: .system)
        // The tool is the system's, and no checker watches it.
        environment["LD_LIBRARY_PATH"] = nil
        environment["LD_PRELOAD"] = nil
        let tool = try ChildProcess(program, arguments, environment: environment)
        guard try await tool.waitForEnd() == .exited(0) else { throw tool.failure("failed") }
    }

    func close() {
        devices = []
        unsafe pbpw_stepper_destroy(stepper)
        for name in ["probe", "probe.lock"] { unsafe unlink("\(directory)/\(name)") }
        unsafe rmdir(directory)
    }
}
