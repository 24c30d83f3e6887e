// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import Synchronization
import ToolSupport

/// A live table of the nodes in the graph.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows how much of each cycle every port takes, live, with xruns and whose fault they were.",
        discussion: """
            On a terminal it fills the screen until control-C or the key q; in a pipe it prints a block of lines for each \
            interval. BUSY and MAX are the shares of the cycle that a port's callback took, on average and at most; WAIT is \
            the share between its signal and its start. A driver's are the whole graph's. XRUNS counts the cycles that a port \
            did not finish in time since the command began, and FAULT says whose fault the last of them was. S is R for a port \
            that runs, I for an idle one, and ! for one that does not finish: for 100 ms, or until a receiver connects it \
            again. LATENCY is the age of the sound that leaves the port, or arrives \
            at it.
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time from one table to the next, in seconds: 0.1 to 3600.", valueName: "s"))
    var interval = 1.0
    @Option(parsing: .unconditional, help: ArgumentHelp("The number of tables; endless without it.", valueName: "n"))
    var count: Int?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time after which it ends, in seconds; no less than --interval.", valueName: "s"))
    var duration: Double?
    @Flag(help: "As JSON for other programs, a line for each table.")
    var json = false
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try Check.that("--interval", interval, isIn: 0.1...3600, unit: "seconds")
        try Check.that("--count", count, isIn: 1...1_000_000_000, unit: "tables")
        try Check.that("--duration", duration, isIn: 0.1...1_000_000_000, unit: "seconds")
        guard duration ?? interval >= interval else {
            throw ValidationError(
                "--duration ends before the first table, which comes after \(Decimal.text(interval)) s; make it longer, or --interval "
                    + "shorter.")
        }
    }

    func run() async throws {
        let tool = ToolRun(as: "pipebus")
        let bus = try await Patchbay.connect(remote, isCancelled: { tool.isCancelled })
        let output = TopOutput(isJSON: json)
        output.open()
        defer { output.close() }
        let end = duration.map { ContinuousClock.now + .seconds($0) }
        let reader = Task { [interval, count] in
            defer { output.isDone.store(true, ordering: .relaxed) }
            var shown = 0
            for await activity in bus.activity(every: .seconds(interval)) {
                try output.show(await TopTable(activity, in: bus))
                shown += 1
                if shown == count { break }
            }
        }
        try await tool.keep(
            bus, until: { output.isDone.load(ordering: .relaxed) || output.isQuit || end.map { .now >= $0 } ?? false },
            atEnd: { output.close() }, showing: { [] })
        reader.cancel()
        do {
            try await reader.value
        } catch {
            // It has all that it wanted.
            throw Terminal.hasLostItsReader ? ToolCancellation() : error
        }
    }
}
