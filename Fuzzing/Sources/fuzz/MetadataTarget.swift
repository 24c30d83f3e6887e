// SPDX-License-Identifier: MIT
import ConnectionGraph

@testable import PipeBus
@testable import PipeWireClient

/// Metadata: other processes' requests to this one, and the values that they share.
func fuzzMetadata(_ input: Input) {
    var store = MetadataStore()
    var remote = RemoteValues()
    var count = 0
    while !input.isAtEnd, count < 400 {
        count += 1
        let key = input.metadataKey()
        let value = input.metadataValue()
        checkKey(key, value)
        checkStore(&store, key, value, isRemoval: input.number(below: 4) == 0)
        checkRequest(input)
        switch input.number(below: 8) {
        case 0: remote.received(BoundMetadata.Property(key: nil, type: nil, value: nil))
        case 1: remote.requested(key, value)
        case 2: remote.received(BoundMetadata.Property(key: key, type: nil, value: nil))
        case 3:
            remote.received(
                BoundMetadata.Property(key: "refused", type: "Spa:String", value: "\(key): \(value)"))
        default: remote.received(BoundMetadata.Property(key: key, type: "Spa:Float", value: value))
        }
        check(remote.count <= MetadataLimits.mostKeys, "more values than allowed")
        check(remote.size <= MetadataLimits.largestObject, "larger values than allowed")
    }
    for level in remote.levels(at: "in").values { checkRange(level) }
    if case .refused(let reason) = remote.answer { checkShowable(Names.shown(reason), atMost: 515, "a reason") }
}

/// The key and the value of a level.
private func checkKey(_ key: String, _ value: String) {
    guard let parsed = LevelKey(key) else { return }
    check(parsed.text.utf8.elementsEqual(key.utf8), "two texts for one key")
    check(LevelKey(parsed.text) == parsed, "a key that is not read again")
    check(!parsed.receiver.isEmpty, "a key of no receiver")
    var level = Source.Level()
    let before = level
    if let reason = parsed.part.set(&level, to: value) {
        check(level == before, "a refused value has changed the level")
        checkShowable(Notice(kind: .requestRefused, port: nil, message: reason).message, atMost: 600, "a reason")
    } else {
        checkRange(level)
        var again = before
        check(parsed.part.set(&again, to: parsed.part.text(of: level)) == nil, "a published value is not read again")
        check(again == level, "a published value is read as another")
    }
}

/// Our own object, whatever is put into it.
private func checkStore(_ store: inout MetadataStore, _ key: String, _ value: String, isRemoval: Bool) {
    if isRemoval {
        store.remove(key)
        check(store.entries[key] == nil, "a removed key is there")
    } else {
        let entry = MetadataStore.Entry(type: "Spa:String", value: value)
        do throws(PipeWireError) {
            try store.check(key, entry)
            store.set(key, entry)
            check(!key.isEmpty && !key.utf8.contains(0) && !value.utf8.contains(0), "a string that C would cut")
        } catch {
            check(store.entries[key] != entry, "an entry of the store is refused")
        }
    }
    let size = store.entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.type.utf8.count + $1.value.value.utf8.count }
    check(store.size == size, "a size of \(store.size) for \(size) bytes")
    check(size <= MetadataLimits.largestObject && store.entries.count <= MetadataLimits.mostKeys, "too large an object")
}

/// The strings as they come from C.
private func checkRequest(_ input: Input) {
    let texts = (0..<3).map { _ in input.cString() }
    func withPointer<Result>(_ text: [CChar]?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return unsafe text.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
    unsafe withPointer(texts[0]) { key in
        unsafe withPointer(texts[1]) { type in
            unsafe withPointer(texts[2]) { value in
                if let request = unsafe ExportedMetadata.Request(key, type, value) {
                    check(request.key != "", "a request for no key")
                    check(request.key != nil || request.value == nil, "a value without a key")
                    check((request.key?.utf8.count ?? 0) <= MetadataLimits.longestKey, "too long a key")
                    check((request.type?.utf8.count ?? 0) <= MetadataLimits.longestKey, "too long a type")
                    check((request.value?.utf8.count ?? 0) <= MetadataLimits.longestRequest, "too long a value")
                }
                if let property = unsafe BoundMetadata.Property(key, type, value) {
                    check(
                        property.key != "" && (property.key?.utf8.count ?? 0) <= MetadataLimits.longestKey, "a bad key")
                    check(property.key != nil || property.value == nil, "a value without a key")
                }
            }
        }
    }
}

extension Input {
    fileprivate func metadataKey() -> String {
        switch number(below: 4) {
        case 0: "level/\(choice(["in", "out", "a b"]))/\(byte())/\(choice(["volume", "pan", "mute", "solo"]))"
        case 1: text(atMost: 64)
        case 2: "level/" + text(atMost: 32)
        default: longText(repeats: 40)
        }
    }

    fileprivate func metadataValue() -> String {
        switch number(below: 4) {
        case 0: choice(["0", "1", "true", "false", "0.5", "-1", "1e400", "nan", "inf", "-0", "0x1p-3", "5e-324"])
        case 1, 2: text(atMost: 64)
        default: longText(repeats: 255)
        }
    }

    /// Bytes without a 0 but for the end; `nil` for no string.
    fileprivate func cString() -> [CChar]? {
        switch number(below: 8) {
        case 0: nil
        case 1:
            // Around the limits.
            Array(repeating: 0x61, count: choice([255, 256, 257, 4095, 4096, 4097])) + [0]
        default: bytes(atMost: 64).filter { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
        }
    }
}
