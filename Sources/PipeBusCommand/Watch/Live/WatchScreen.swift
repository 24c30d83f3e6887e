// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// The screen of `watch` on a terminal: reads keys, paints, and passes requests on.
final class WatchScreen: Sendable {
    /// The time between two looks at the keys and the meters.
    private static let pace: Duration = .milliseconds(50)

    private let screen = FullScreen()
    private let store = WatchStore()
    private let actions: WatchActions
    private let meters: WatchMeters?
    private let bus: BusClient
    private let interval: Duration
    private let filter: String
    private let isUnicode = Terminal.isUnicode
    private let hasColour = Terminal.hasColour
    private let isDone = Atomic<Bool>(false)

    /// - Parameters:
    ///   - remote: the daemon, for the meters; `nil` for the default one.
    ///   - filter: a part of the names of what is shown at first.
    init(on bus: BusClient, remote: String?, every interval: Duration, hasMeters: Bool, filter: String) {
        self.bus = bus
        self.interval = interval
        self.filter = filter
        actions = WatchActions(on: bus, store, ChangeHistoryFile(remote: remote))
        meters = hasMeters ? WatchMeters(at: remote, into: store) : nil
    }

    /// Runs until a key, a signal or the time ends it.
    func run(_ tool: ToolRun, for duration: Duration?) async throws {
        let end = duration.map { ContinuousClock.now + $0 }
        StopSignals.watch()
        screen.open()
        meters?.start()
        let feed = WatchFeed(from: bus, every: interval, into: store)
        let loop = Task {
            await show()
            isDone.store(true, ordering: .relaxed)
        }
        defer { screen.close() }
        try await tool.keep(
            bus, until: { [self] in isDone.load(ordering: .relaxed) || end.map { .now >= $0 } ?? false },
            atEnd: { [self] in
                isDone.store(true, ordering: .relaxed)
                screen.close()
            }, saying: { [store] in store.answer($0, isFailure: true) }, showing: { [] })
        await loop.value
        feed.cancel()
        await meters?.stop()
    }

    private func show() async {
        var model = WatchModel(filter: filter)
        var parser = KeyParser()
        var last: (data: WatchData, revision: Int)?
        var painted: WatchLayout?
        while !isDone.load(ordering: .relaxed) {
            let size = FullScreen.size
            let layout = WatchLayout(columns: size.columns, rows: size.rows)
            var isWhole = false
            if StopSignals.takeResume() {
                screen.close()
                screen.open()
                isWhole = true
            }
            var mustStop = StopSignals.takeStop()
            let current = store.data(since: last)
            let keys = parser.keys(from: screen.takeInput())
            // Nothing is drawn while nothing happens, as in a quiet graph.
            var isChanged = current.revision != last?.revision || current.data.meters != last?.data.meters
            isChanged = isChanged || layout != painted || !keys.isEmpty
            last = current
            for key in keys {
                switch model.press(key, in: current.data, page: layout.height, signs: signs) {
                case .quit: return
                case .suspend: mustStop = true
                case .repaint: isWhole = true
                case let request?: actions.perform(request)
                case nil: break
                }
            }
            if mustStop {
                await suspend()
                isWhole = true
            }
            if let answer = store.takeAnswer() {
                model.answer = answer
                isChanged = true
            }
            if isChanged || isWhole { paint(&model, current.data, layout, isWhole: isWhole) }
            painted = layout
            try? await Task.sleep(for: Self.pace)
        }
    }

    private var signs: TreeSigns { isUnicode ? .unicode : .ascii }

    private func paint(_ model: inout WatchModel, _ data: WatchData, _ layout: WatchLayout, isWhole: Bool) {
        var renderer = WatchRenderer(
            data: data, model: model, layout: layout, signs: signs, isUnicode: isUnicode, hasMeters: meters != nil)
        model.scroll(in: renderer.rows, height: layout.height)
        renderer = WatchRenderer(
            data: data, model: model, layout: layout, signs: signs, isUnicode: isUnicode, hasMeters: meters != nil)
        let graph = store.graph
        // What goes nowhere does not run, and what is idle has no level.
        meters?.measure(
            renderer.visibleSources.filter { !graph.destinations(of: $0).isEmpty }.compactMap { graph.port($0) })
        let lines = renderer.lines.map { signs.shown($0.text(hasColour: hasColour)) }
        screen.paint(lines, columns: layout.columns, rows: layout.rows, isWhole: isWhole)
    }

    /// Gives the terminal and the graph back, and stops until a shell resumes the tool in the foreground.
    private func suspend() async {
        await meters?.stop()
        screen.close()
        StopSignals.stopJob()
        while !Terminal.isInForeground, !isDone.load(ordering: .relaxed) {
            try? await Task.sleep(for: .milliseconds(100))
        }
        guard !isDone.load(ordering: .relaxed) else { return }
        screen.open()
        meters?.start()
    }
}
