// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc
import PipeBus

/// A daemon in this process, whose cycles are run one by one.
@safe final class SteppedGraph {
    private let directory: String
    private let stepper: OpaquePointer

    /// What a client connects to.
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

    /// Begins cycles without waiting for their ends, so that some are missed.
    func hurry(_ cycles: Int) {
        for _ in 0..<cycles { _ = unsafe pbpw_stepper_step(stepper, 64, 0) }
    }

    func close() {
        unsafe pbpw_stepper_destroy(stepper)
        for name in ["probe", "probe.lock"] { unsafe unlink("\(directory)/\(name)") }
        unsafe rmdir(directory)
    }
}
