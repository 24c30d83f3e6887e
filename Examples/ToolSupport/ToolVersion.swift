// SPDX-License-Identifier: MIT

/// The version of all tools, which is that of the package. `-dev` until it is published.
package enum ToolVersion {
    package static let number = "0.1.0-dev"
}
