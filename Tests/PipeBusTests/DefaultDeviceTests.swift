// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The name of the default device, as other processes write it.
final class DefaultDeviceTests: XCTestCase {
    func testNames() {
        let table = [
            #"{"name":"alsa_output.usb"}"#: "alsa_output.usb",
            #" { "name" : "a b" , "x" : 1 } "#: "a b",
            #"{"x":true,"y":null,"z":-1.5e3,"name":"n"}"#: "n",
            #"{"other":"o","name":"n"}"#: "n",
            #"{"name":"one","name":"two"}"#: "two",
            "{\n\t\"name\": \"n\"\r\n}": "n",
            #"{"name":"a\"b\\c\/d\u00e9\ud83c\udfb5"}"#: "a\"b\\c/dé🎵",
            #"{"name":"Gerät"}"#: "Gerät",
        ]
        for (text, name) in table { XCTAssertEqual(DefaultDevice.name(in: text), name, text) }
    }

    func testAnythingElseIsNone() {
        for text in [
            "", "{}", "null", "alsa_output.usb", #""name""#, #"{"name":""}"#, #"{"name":null}"#, #"{"name":1}"#,
            #"{"name":"n""#, #"{"name":"n"} x"#, #"{"name":"n",}"#, #"{"name" "n"}"#, #"{name:"n"}"#, #"["name","n"]"#,
            #"{"name":["n"]}"#, #"{"name":{"name":"n"}}"#, #"{"name":"n\"}"#, #"{"name":"\x"}"#, #"{"name":"\u12"}"#,
            #"{"name":"\ud83c"}"#, #"{"name":"\ud83c\u0041"}"#, #"{"name":"\udfb5"}"#, #"{"other":"n"}"#,
            String(repeating: "{", count: 100_000), #"{"name":""# + String(repeating: "\\", count: 99_999),
        ] { XCTAssertNil(DefaultDevice.name(in: text), String(text.prefix(60))) }
    }
}
