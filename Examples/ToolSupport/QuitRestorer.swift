// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// Gives the terminal back when SIGQUIT (control-\) ends the tool, which it does at once and without `FullScreen.close()`.
///
/// - Thread: any, one at a time. The handler may run on any thread at any moment, and calls only what a signal handler may.
enum QuitRestorer {
    private struct Memory {
        var settings: termios?
        var text: StaticString
    }

    /// Made once and never freed: a handler may be reading it.
    private static let address = Atomic<UInt>(0)

    /// From now on SIGQUIT writes the text, sets the settings of standard input, and then ends the tool as it does any program. It
    /// is left alone where the tool ignores it, as a command in the background of a shell does.
    static func arm(settings: termios?, text: StaticString) {
        guard address.load(ordering: .relaxed) == 0 else { return }
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        unsafe memory.initialize(to: Memory(settings: settings, text: text))
        address.store(UInt(bitPattern: memory), ordering: .releasing)
        let earlier = signal(SIGQUIT) { number in
            QuitRestorer.restore()
            signal(number, SIG_DFL)
            raise(number)
        }
        // SIG_IGN.
        if unsafe unsafeBitCast(earlier, to: Int.self) == 1 { signal(SIGQUIT, SIG_IGN) }
    }

    /// SIGQUIT is no more than it was. Idempotent.
    static func disarm() {
        guard address.exchange(0, ordering: .acquiringAndReleasing) != 0 else { return }
        if unsafe unsafeBitCast(signal(SIGQUIT, SIG_DFL), to: Int.self) == 1 { signal(SIGQUIT, SIG_IGN) }
    }

    private static func restore() {
        guard let memory = unsafe UnsafePointer<Memory>(bitPattern: address.load(ordering: .acquiring)) else { return }
        let text = unsafe memory.pointee.text
        _ = unsafe write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        if var settings = unsafe memory.pointee.settings { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
    }
}
