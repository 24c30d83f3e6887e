// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph

/// The command line of an action, read by GLib's parser: it takes options that are known at run time only.
struct ActionOptions {
    enum Mode: Sendable, Hashable { case work, install, uninstall, version, service }

    /// A command line that cannot be understood.
    struct Failure: Error {
        let message: String
    }

    private(set) var mode = Mode.work
    /// Whether each result goes beside its file, also with two files.
    private(set) var isBeside = false
    /// Whether a file that is there is replaced.
    private(set) var isForced = false
    private(set) var parameters: [String: ActionValue] = [:]
    /// What is no option.
    private(set) var files: [String] = []

    private static let flags: [(name: String, text: String)] = [
        ("install", "Write the desktop entry of the action, so that other apps and file managers find it"),
        ("uninstall", "Take the desktop entry away"),
        ("beside", "Write the result beside each file; all names are files that are read"),
        ("force", "Replace OUT if it is there"),
    ]
    /// How D-Bus starts the action.
    static let serviceFlag = "pipebus-service"

    /// Reads a command line. `--help` is answered, and ends the process.
    ///
    /// - Parameter arguments: the first is the program.
    /// - Throws: ``Failure``.
    init(_ arguments: [String], of description: ActionDescription) throws(Failure) {
        let storage = CStrings()
        let booleans = Self.booleans(of: description)
        let flagNames = booleans.map(\.name)
        let flagValues = UnsafeMutableBufferPointer<gboolean>.allocate(capacity: flagNames.count)
        unsafe flagValues.initialize(repeating: 0)
        let texts = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(
            capacity: description.parameters.count)
        unsafe texts.initialize(repeating: nil)
        defer {
            for place in description.parameters.indices { unsafe g_free(texts[place]) }
            unsafe texts.deallocate()
            unsafe flagValues.deallocate()
        }
        var entries: [GOptionEntry] = unsafe []
        for (place, (name, text)) in booleans.enumerated() {
            unsafe entries.append(
                GOptionEntry(
                    long_name: storage.copy(name), short_name: 0,
                    flags: text == nil ? Int32(G_OPTION_FLAG_HIDDEN.rawValue) : 0, arg: G_OPTION_ARG_NONE,
                    arg_data: UnsafeMutableRawPointer(flagValues.baseAddress! + place),
                    description: text.map { unsafe UnsafePointer(storage.copy($0)) }, arg_description: nil))
        }
        for (place, parameter) in description.parameters.enumerated() where !parameter.isFlag {
            unsafe entries.append(
                GOptionEntry(
                    long_name: storage.copy(parameter.name), short_name: 0, flags: 0, arg: G_OPTION_ARG_STRING,
                    arg_data: UnsafeMutableRawPointer(texts.baseAddress! + place),
                    description: storage.copy(Self.help(parameter)),
                    arg_description: storage.copy(Self.placeholder(parameter))))
        }
        unsafe entries.append(GOptionEntry())
        let context = unsafe g_option_context_new(description.acceptsSeveralFiles ? "IN… [OUT]" : "IN [OUT]")
        defer { unsafe g_option_context_free(context) }
        unsafe g_option_context_set_summary(context, Self.summary(description))
        unsafe entries.withUnsafeBufferPointer {
            unsafe g_option_context_add_main_entries(context, $0.baseAddress, nil)
        }
        var words = unsafe Self.strings(arguments)
        defer { unsafe g_strfreev(words) }
        var error: UnsafeMutablePointer<GError>?
        guard unsafe g_option_context_parse_strv(context, &words, &error) != 0 else {
            throw Failure(message: unsafe GLibMessage.take(error))
        }
        var place = 1
        while let word = unsafe words?[place] {
            files.append(unsafe String(cString: word))
            place += 1
        }
        // GLib leaves the mark of the end of options where it is if a later word begins with a dash. A further "--" is a file.
        if let mark = files.firstIndex(of: "--") { files.remove(at: mark) }
        let set = Set(flagNames.indices.filter { unsafe flagValues[$0] != 0 }.map { flagNames[$0] })
        isBeside = set.contains("beside")
        isForced = set.contains("force")
        let modes: [(String, Mode)] = [
            ("install", .install), ("uninstall", .uninstall), ("version", .version),
            (Self.serviceFlag, .service),
        ]
        let chosen = modes.filter { set.contains($0.0) }
        guard chosen.count <= 1 else {
            throw Failure(message: "--\(chosen[0].0) and --\(chosen[1].0) exclude each other")
        }
        mode = chosen.first?.1 ?? .work
        if mode != .work, let file = files.first {
            throw Failure(message: "--\(chosen[0].0) takes no files, and \"\(file.shown())\" is named")
        }
        for (place, parameter) in description.parameters.enumerated() {
            if parameter.isFlag {
                let (isOn, isOff) = (set.contains(parameter.name), set.contains("no-\(parameter.name)"))
                guard !isOn || !isOff else {
                    throw Failure(message: "--\(parameter.name) and --no-\(parameter.name) exclude each other")
                }
                if isOn || isOff { parameters[parameter.name] = .flag(isOn) }
                continue
            }
            guard let text = unsafe texts[place] else { continue }
            do {
                parameters[parameter.name] = try parameter.value(typed: unsafe String(cString: text))
            } catch {
                throw Failure(
                    message:
                        "--\(parameter.name) takes \(parameter.rangeText), not \"\(unsafe String(cString: text).shown())\""
                )
            }
        }
    }

    /// The options without a value, with the texts of those that the help shows.
    private static func booleans(of description: ActionDescription) -> [(name: String, text: String?)] {
        let own = description.parameters.filter(\.isFlag).flatMap { parameter -> [(name: String, text: String?)] in
            let isOn = parameter.defaultValue == .flag(true)
            return [
                (parameter.name, isOn ? nil : "\(parameter.title)"),
                ("no-\(parameter.name)", isOn ? "Not: \(parameter.title)" : nil),
            ]
        }
        let version = description.version.map { _ in ("version", "Print the version") }
        return own + flags.map { ($0.name, $0.text) } + (version.map { [$0] } ?? []) + [(serviceFlag, nil)]
    }

    // MARK: Help

    private static func summary(_ description: ActionDescription) -> String {
        let comment = description.comment ?? "\(description.name): an action on sound files."
        return """
            \(comment)

            \(description.acceptsSeveralFiles
                ? "Reads the sound files IN and writes OUT, the last name. Of one file, or with --beside, the result is \"IN (\(description.suffix))\" beside the first."
                : "Reads the sound file IN and writes OUT. Without OUT the result is \"IN (\(description.suffix))\" beside it.")
            The format of OUT is that of IN unless its name says another one. Nothing is replaced without --force.
            """
    }

    private static func help(_ parameter: ActionParameter) -> String {
        "\(parameter.title): \(parameter.rangeText); \(parameter.defaultValue.typed) unless given"
    }

    private static func placeholder(_ parameter: ActionParameter) -> String {
        switch parameter.kind {
        case .number: "NUMBER"
        case .choice: "WORD"
        case .flag: ""
        }
    }

    // MARK: C

    private static func strings(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        let words = unsafe g_malloc0(gsize((texts.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride))!
            .assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        for (place, text) in texts.enumerated() { unsafe words[place] = g_strdup(text) }
        return unsafe words
    }
}

/// Texts for C, until it is gone.
@safe private final class CStrings {
    private var copies: [UnsafeMutablePointer<CChar>] = unsafe []

    func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
        let copy = unsafe g_strdup(text)!
        unsafe copies.append(copy)
        return unsafe copy
    }

    deinit { unsafe copies.forEach { unsafe g_free($0) } }
}
