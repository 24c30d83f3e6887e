// SPDX-License-Identifier: MIT

/// Channels of planar 32-bit floats: an address for each.
package typealias Rows = UnsafePointer<UnsafeMutablePointer<Float>?>

/// An app's samples: an address for each plane of a ``SampleLayout``.
package typealias Planes = UnsafePointer<UnsafeMutableRawPointer>
