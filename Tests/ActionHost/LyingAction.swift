// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc

/// Answers requests to an action as no action should.
enum LyingAction {
    private static let id = "org.pipebus.test.Lying"
    private static let request = "org.pipebus.ActionRequest1"
    private static let interface = """
        <interface name="org.pipebus.AudioAction1">
          <method name="Run">
            <arg type="a(hss)" name="files" direction="in"/><arg type="a{sv}" name="parameters" direction="in"/>
            <arg type="a{sv}" name="options" direction="in"/><arg type="o" name="request" direction="out"/>
          </method>
        </interface>
        """

    static func run() async -> Never {
        do {
            let bus = try await SessionBus.connect()
            let object = try await BusObject.export(interface, at: BusName.path(ofApp: id), on: bus) {
                answer($0, on: bus)
            }
            _ = try await bus.own(id)
            // Until the session has ended.
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            bus.whenClosed { end.finish() }
            for await _ in ends {}
            withExtendedLifetime(object) {}
        } catch {}
        exit(1)
    }

    private static func answer(_ call: BusObject.Call, on bus: SessionBus) {
        guard case .dictionary(let parameters) = call.message.values[1],
            case .dictionary(let options) = call.message.values[2],
            let mode = parameters["mode"]?.text, let token = options["handle_token"]?.text
        else { return call.fail("InvalidArgument", "no mode") }
        let sender = String(call.sender.dropFirst()).replacing(".", with: "_")
        let path = "/org/pipebus/request/\(sender)/\(token)"
        func send(_ member: String, _ values: [DBusValue], _ descriptors: [Int32] = []) {
            bus.send(member, of: request, at: path, to: call.sender, values, descriptors: descriptors)
        }
        /// A response with a file.
        func respond(_ file: DBusValue, _ descriptors: [Int32]) {
            send("Response", [.uint32(0), .dictionary(["files": .array(of: "(hss)", [file])])], descriptors)
        }
        func file(_ name: String = "Result.wav", _ place: Int32 = 0) -> DBusValue {
            .tuple([.handle(place), .string(name), .string("audio/x-wav")])
        }
        switch mode {
        case "refuse": return call.fail("Failed", "not today\nnor \u{1B}[31mtomorrow")
        case "path": return call.answer([.objectPath("/elsewhere")])
        case "type": return call.answer([.string("done")])
        case "silent": return
        case "vanish": kill(getpid(), SIGKILL)
        default: break
        }
        call.answer([.objectPath(path)])
        switch mode {
        case "empty": respond(file(), [temporary([])])
        case "text": respond(file(), [temporary(Array("no sound at all".utf8))])
        case "head": respond(file(), [temporary(Array(wave.prefix(20)))])
        case "folder": respond(file(), [unsafe open("/tmp", O_RDONLY | O_CLOEXEC)])
        case "pipe":
            var ends: [Int32] = [0, 0]
            _ = unsafe pipe(&ends)
            respond(file(), [ends[0]])
        case "missing": respond(file("Result.wav", 7), [temporary(wave)])
        case "nothing": respond(file(), [])
        case "none": send("Response", [.uint32(0), .dictionary([:])])
        case "code": send("Response", [.uint32(99), .dictionary([:])])
        case "words":
            send("Response", [.uint32(2), .dictionary(["message": .string(String(repeating: "x\n", count: 9999))])])
        case "shape": send("Response", [.string("done")])
        case "sparse":
            let descriptor = temporary(wave)
            ftruncate(descriptor, 1 << 43)
            respond(file(), [descriptor])
        case "names":
            let names = [
                "../../escaped.wav", "", ".hidden", "a/b.exe", String(repeating: "long ", count: 100) + ".wav",
                "tab\tnew\n.wav", "-rf.wav",
            ]
            let files = names.enumerated().map { file($1, Int32($0)) }
            send(
                "Response", [.uint32(0), .dictionary(["files": .array(of: "(hss)", files)])],
                names.map { _ in temporary(wave) })
        case "progress":
            for value in [Double.nan, .infinity, -1, 2, 0.5] { send("Progress", [.double(value)]) }
            send("Progress", [.string("half")])
            send("Progress", [])
            for _ in 0..<10_000 { send("Progress", [.double(0.75)]) }
            respond(file(), [temporary(wave)])
        case "late":
            // It keeps the file, and writes on after it has given it.
            let descriptor = temporary(wave)
            respond(file(), [descriptor])
            bus.flush()
            for _ in 0..<1000 { _ = unsafe pwrite(descriptor, "garbage", 7, 44) }
        case "reopen":
            // It has the descriptor for reading, and opens the file for writing.
            guard let input = call.message.descriptor(.handle(0)) else { return }
            let descriptor = unsafe open("/proc/self/fd/\(input)", O_RDWR | O_CLOEXEC)
            ftruncate(descriptor, 10)
            close(descriptor)
            respond(file(), [temporary(wave)])
        case "blind":
            let descriptor = temporary(wave)
            respond(file(), [unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_CLOEXEC)])
        case "many":
            let files = (0..<1001).map { _ in file() }
            send("Response", [.uint32(0), .dictionary(["files": .array(of: "(hss)", files)])], [temporary(wave)])
        default: break
        }
    }

    /// A small file of mono sound.
    private static let wave: [UInt8] =
        Array("RIFF".utf8) + [44, 0, 0, 0] + Array("WAVEfmt ".utf8) + [
            16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0,
        ]
        + Array("data".utf8) + [8, 0, 0, 0] + [1, 0, 2, 0, 3, 0, 4, 0]

    private static func temporary(_ bytes: [UInt8]) -> Int32 {
        let descriptor = unsafe open("/var/tmp", 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        _ = unsafe write(descriptor, bytes, bytes.count)
        return descriptor
    }
}
