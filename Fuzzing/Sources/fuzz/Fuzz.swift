// SPDX-License-Identifier: MIT
import Glibc

/// `fuzz TARGET [libFuzzer's arguments]`: runs a target until the time given by libFuzzer's arguments is over, or until
/// it fails.
@main
enum Fuzz {
    typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    static func main() {
        guard CommandLine.argc > 1, let target = unsafe Target(rawValue: String(cString: CommandLine.unsafeArgv[1]!))
        else {
            fail("fuzz: the first argument must be one of \(Target.allCases.map(\.rawValue))")
        }
        // libFuzzer takes the rest. It reads its arguments by these pointers as long as it runs.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv + 1
        exit(unsafe runDriver(&count, &arguments, target.callback))
    }

    private static func fail(_ message: String) -> Never {
        print(message)
        exit(2)
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>, _ callback: Fuzz.Callback
) -> CInt

/// The code under test, by the name of its corpus.
enum Target: String, CaseIterable {
    case action, entry, graph, metadata, params, png, profiler, routing, sound, text
    case levels = "levels-json"
    /// A target with a defect that must be found.
    case control

    var callback: Fuzz.Callback {
        switch self {
        case .action: { data, count in unsafe feed(data, count, fuzzAction) }
        case .entry: { data, count in unsafe feed(data, count, fuzzEntry) }
        case .graph: { data, count in unsafe feed(data, count, fuzzGraph) }
        case .metadata: { data, count in unsafe feed(data, count, fuzzMetadata) }
        case .params: { data, count in unsafe feed(data, count, fuzzParams) }
        case .png: { data, count in unsafe feed(data, count, fuzzPNG) }
        case .profiler: { data, count in unsafe feed(data, count, fuzzProfiler) }
        case .routing: { data, count in unsafe feed(data, count, fuzzRouting) }
        case .sound: { data, count in unsafe feed(data, count, fuzzSound) }
        case .text: { data, count in unsafe feed(data, count, fuzzText) }
        case .levels: { data, count in unsafe feed(data, count, fuzzLevels) }
        case .control: { data, count in unsafe feed(data, count, fuzzControl) }
        }
    }
}

private func feed(_ data: UnsafePointer<UInt8>?, _ count: Int, _ body: (Input) -> Void) -> CInt {
    body(Input(unsafe Array(UnsafeBufferPointer(start: data, count: count))))
    return 0
}

/// Fails at an input that random bytes do not hit, so only a fuzzer that is guided by coverage finds it.
private func fuzzControl(_ input: Input) {
    let bytes = input.rest
    guard bytes.count >= 4, bytes[0] == 0x50, bytes[1] == 0x42, bytes[2] == 0x75, bytes[3] == 0x73 else { return }
    check(false, "the control's defect")
}
