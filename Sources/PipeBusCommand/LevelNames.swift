// SPDX-License-Identifier: MIT
import ArgumentParser

/// The names in a level command: a source and a receiver, or a receiver alone.
struct LevelNames: ParsableArguments {
    static let discussion = """
        The source comes first, then the receiver, then the value. With a receiver alone all its sources are shown. The receiver \
        may come first too: of two connected ports only one can be meant as the source.
        """

    @Argument(
        help: ArgumentHelp(
            "The source, by a name that `list` shows, or its app; the receiver, if it is the only name.",
            valueName: "source"))
    var first: String
    @Argument(help: ArgumentHelp("The receiver that it is connected to already.", valueName: "receiver"))
    var second: String?
    @Flag(help: "As JSON, for other programs: all of the level.")
    var json = false
}
