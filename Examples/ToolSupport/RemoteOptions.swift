// SPDX-License-Identifier: MIT
package import ArgumentParser

/// The choice of the daemon.
package struct RemoteOptions: ParsableArguments {
    @Option(
        name: .customLong("remote"),
        help: ArgumentHelp(
            "The PipeWire daemon: its socket's name or absolute path. Without it PIPEWIRE_REMOTE decides, "
                + "and then it is your default daemon.",
            valueName: "name"))
    package var name: String?

    package init() {}
}
