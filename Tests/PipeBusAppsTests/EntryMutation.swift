// SPDX-License-Identifier: MIT
import SeededRandom

/// Desktop entries that were damaged at random, or on purpose.
struct EntryMutation {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let good = """
        # A comment.
        [Desktop Entry]
        Type=Application
        Name=Synth
        Name[de]=Synthesizer
        # Of a key.
        Exec=true --special %U
        Icon=audio-card
        Implements=org.example.Other;
        Keywords=a;b\\;c;
        X-Mine=kept

        [Desktop Action new]
        Name=New
        Exec=true --new

        """

    private static let lines = [
        "Exec=sh -c \"rm -rf /\" %U", "Exec=\"", "Exec=`reboot`", "Exec=$(reboot)", "Exec=true \\s\\n\\t\\\\ %%%",
        "Exec=",
        "Exec=\\x", "TryExec=/not/there", "TryExec=../../true", "Hidden=true", "NoDisplay=perhaps", "Type=Link",
        "Type=",
        "Name=\u{202E}evil", "Name[", "Name[]=x", "Name[de_DE.UTF-8@euro]=y", "=", "=x", "[", "[]", "[Desktop Entry]",
        "[Desktop Entry", "[a]b]", "Implements=org.pipebus.Port1;", "Implements=;;;;", "Implements=org.pipebus.Port1",
        "X-PipeBus-Ports=out:sender:2:Main;", "X-PipeBus-Ports=\\;;::::;x:filter:1>2;", "X-PipeBus-Generated=true",
        "X-PipeBus-Generated=yes", "DBusActivatable=1", "# X-PipeBus-Ports=", "\t", " Key = value ", "Key=\\",
        "K\u{0}y=v",
        "Key=a\u{0}b", "Key=\u{1B}[2J", "ü=1", "Key-Ü=1", "\r", "Key=x\r", "\u{FEFF}[Desktop Entry]", "Icon=/dev/zero",
        "Icon=../x", "Path=/", "URL=file:///", "Actions=new;;new;", "X-=1", "Encoding=Latin-1",
    ]

    /// The next entry.
    mutating func next() -> [UInt8] {
        var lines = Self.good.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // One in three declares ports already.
        if Int.random(in: 0..<3, using: &random) == 0 {
            lines.insert(contentsOf: ["Implements=org.pipebus.Port1;", "X-PipeBus-Ports=old:sender:1;b:tap:2"], at: 9)
        }
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let place = Int.random(in: 0...lines.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where place < lines.count: lines.remove(at: place)
            case 1 where place < lines.count:
                lines.insert(lines[place], at: Int.random(in: 0...lines.count, using: &random))
            case 2:
                lines.insert(String(repeating: "x", count: .random(in: 0...40_000, using: &random)) + "=y", at: place)
            case 3:
                lines.insert(
                    "Implements=" + String(repeating: "a;", count: .random(in: 0...9000, using: &random)), at: place)
            default: lines.insert(Self.lines.randomElement(using: &random)!, at: place)
            }
        }
        var bytes = Array(lines.joined(separator: "\n").utf8)
        // One in four has bytes that are no text.
        if Int.random(in: 0..<4, using: &random) == 0, !bytes.isEmpty {
            for _ in 0..<3 {
                bytes[.random(in: 0..<bytes.count, using: &random)] = [0, 0xFF, 0xC0, 0x0A, 0x3D, 0x5B, 0x5C]
                    .randomElement(using: &random)!
            }
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
            bytes.removeLast(.random(in: 0...bytes.count, using: &random))
        }
        return bytes
    }
}
