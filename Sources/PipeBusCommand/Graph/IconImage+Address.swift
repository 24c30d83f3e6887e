// SPDX-License-Identifier: MIT
import Foundation
import PipeBusApps

extension IconImage {
    /// The picture as an address that holds all of it.
    var address: String { "data:\(format.rawValue);base64,\(Data(bytes).base64EncodedString())" }
}
