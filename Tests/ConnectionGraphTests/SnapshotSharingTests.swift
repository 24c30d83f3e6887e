// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// What it costs to keep the snapshots of a large graph, counted in parts of its maps.
final class SnapshotSharingTests: XCTestCase {
    func testASnapshotThatIsKeptCostsOnlyWhatHasChanged() {
        var fixture = GraphFixture()
        var outputs: [UInt32] = []
        var inputs: [UInt32] = []
        for number in 0..<500 {
            let node = fixture.node("node\(number)", client: fixture.client("app\(number)"))
            outputs.append(fixture.port("out", of: node, index: 0, direction: "out"))
            inputs.append(fixture.port("in", of: node, index: 1, direction: "in"))
        }
        for number in 0..<499 { _ = fixture.link(outputs[number], inputs[number + 1]) }
        var kept = [fixture.reducer.takeSnapshot()]
        XCTAssertGreaterThan(newParts(of: kept[0], since: .empty), 300)
        for number in 0..<400 {
            let link = fixture.link(outputs[number], inputs[number + 2])
            kept.append(fixture.reducer.takeSnapshot())
            if number.isMultiple(of: 2) {
                fixture.reducer.apply(.removed(id: link))
                kept.append(fixture.reducer.takeSnapshot())
            }
        }
        for (old, new) in zip(kept, kept.dropFirst()) {
            // Those above the two ports of the link: one for each four bits of a serial.
            XCTAssertLessThanOrEqual(newParts(of: new, since: old), 12)
        }
    }

    private func newParts(of new: GraphSnapshot, since old: GraphSnapshot) -> Int {
        newBranches(new.store.peers, old.store.peers) + newBranches(new.store.ports, old.store.ports)
            + newBranches(new.store.portsOfPeer, old.store.portsOfPeer)
            + newBranches(new.store.audio.outgoing, old.store.audio.outgoing)
            + newBranches(new.store.audio.incoming, old.store.audio.incoming)
    }

    /// The number of branches of a map that it does not share with an earlier one.
    private func newBranches<Value>(_ new: PersistentMap<Value>, _ old: PersistentMap<Value>) -> Int {
        newBranches(new.root, old.root)
    }

    private func newBranches<Value>(
        _ new: PersistentMap<Value>.Node, _ old: PersistentMap<Value>.Node?
    ) -> Int {
        guard case .branch(let branch) = new else { return 0 }
        var other: PersistentMap<Value>.Branch?
        if case .branch(let branch) = old { other = branch }
        if let other, branch.isIdentical(to: other) { return 0 }
        return 1
            + branch.children.reduce(0) { sum, child in
                switch child {
                case .empty: sum
                case .leaf(let key, _): sum + newBranches(child, other?.child(of: key))
                case .branch(let next): sum + newBranches(child, other?.child(of: next.prefix))
                }
            }
    }
}
