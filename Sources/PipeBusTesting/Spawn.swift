// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc

/// A program just started, and this process's ends of its standard streams.
struct Spawn {
    let pid: Int32
    /// A socket, so that writing to a process that has ended raises no signal.
    let input: Int32
    let output: Int32
    let errors: Int32

    init(_ program: String, _ arguments: [String], _ environment: [String: String]) throws {
        // Closed on exec, so that other children do not keep them open.
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, stream, 0, &input) == 0, unsafe pbpw_pipe(&output) == 0,
            unsafe pbpw_pipe(&errors) == 0
        else {
            (input + output + errors).filter { $0 >= 0 }.forEach { close($0) }
            throw TestKitError("No descriptors are left for another process.")
        }
        let theirs = [input[1], output[1], errors[1]]
        defer { theirs.forEach { close($0) } }

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in theirs.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        Self.makeIndependent(&attributes)

        var pid: pid_t = 0
        let argv = [program] + arguments
        let envp = environment.map { "\($0.key)=\($0.value)" }.sorted()
        let result = unsafe Self.withCStrings(argv) { argv in
            unsafe Self.withCStrings(envp) { envp in
                unsafe posix_spawnp(&pid, program, &actions, &attributes, argv, envp)
            }
        }
        guard result == 0 else {
            [input[0], output[0], errors[0]].forEach { close($0) }
            let reason = unsafe strerror(result).map { unsafe String(cString: $0) } ?? "error \(result)"
            throw TestKitError("The program \(program) could not be started: \(reason).")
        }
        self.pid = pid
        self.input = input[0]
        self.output = output[0]
        self.errors = errors[0]
    }

    /// Sets default signal handling, and a process group of its own: Ctrl-C on a terminal then reaches this process
    /// alone, which ends its children in order.
    private static func makeIndependent(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        var all = sigset_t()
        unsafe sigemptyset(&all)
        for number in [SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT] { unsafe sigaddset(&all, number) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(pointers)
    }
}
