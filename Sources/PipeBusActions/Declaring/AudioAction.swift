// SPDX-License-Identifier: MIT

/// An offline effect for sound files that other apps, file managers and shells can use. A type that conforms is the whole program:
///
/// ```swift
/// @main
/// struct Louder: AudioAction {
///     static let description = ActionDescription(
///         id: "org.example.Louder", name: "Make Louder", suffix: "Louder",
///         parameters: [.number("gain", in: -24...24, unit: "dB", default: 6)])
///
///     func process(_ request: ActionRequest) async throws {
///         let gain = pow(10, request.number("gain") / 20)
///         for input in try request.inputs {
///             let output = try request.makeOutput(for: input)
///             while true {
///                 var block = try input.read(upTo: input.blockFrameCount)
///                 if block.isEmpty { break }
///                 for place in block.samples.indices { block.samples[place] *= gain }
///                 try output.write(block)
///             }
///         }
///     }
/// }
/// ```
///
/// | started as | it |
/// | --- | --- |
/// | `louder IN.wav OUT.wav` | writes that file |
/// | `louder IN.wav` | writes "IN (Louder).wav" beside it |
/// | `louder --install` | writes its desktop entry: apps and file managers find it, and D-Bus starts it for them |
/// | `louder --uninstall` | takes that away |
/// | `louder --help` | explains itself, with an option for each parameter |
///
/// - Thread: a value that any thread may use; ``process(_:)`` runs on a thread of its own for each request, which it may block.
/// - Realtime: unsafe.
public protocol AudioAction: Sendable {
    /// What the action is. It is the same in all runs.
    static var description: ActionDescription { get }

    init()

    /// Does the work: reads the inputs, and makes at least one output. Outputs are finished and given back when it returns.
    ///
    /// Reading and writing reports progress, and throws when the request is cancelled; so a loop that reads and writes blocks needs neither.
    ///
    /// - Throws: ``ActionFailure`` with a sentence for the user, or any error of the request.
    func process(_ request: ActionRequest) async throws
}

extension AudioAction {
    /// Runs the program. `@main` calls it.
    @MainActor
    public static func main() async { await runProgram() }

    /// Runs the program, for one that has something to do before. It ends the process.
    @MainActor
    public static func runProgram() async -> Never { await ActionProgram(Self.self).run() }
}
