// SPDX-License-Identifier: MIT
import Foundation

/// Pictures for the faces of apps.
package enum SamplePicture {
    /// A round one of 136 × 136 pixels, in PNG.
    package static let png = [UInt8](
        Data(
            base64Encoded: """
                iVBORw0KGgoAAAANSUhEUgAAAIgAAACICAYAAAA8uqNSAAACp0lEQVR42u3dQU4bQRCG0TpMFrlczphz5CxZgJDCAokIA93VVdXv
                k7xH/zyBNR7TEZIkSZLy+/Xzz9Ojr7+/f3zqZd3hIL4LBJjhIFYDAWYgip1AYBkCIwMIKE1RZAOBpSGMU0BAaYTjJBBIisOoAASU
                wjAqAXl5vfwsVPzrdRBA3gK5Hsl7gwDy/h5X4wDkYyBXIXl0EEAuQ/KVQQC5BMp3BwFkMJJVgwAyEMnqQQAZhGTXIIAMQLJ7EEAa
                I8kaBJCGSLIHAaQRklODANIECSCAbMEByJ49xuAAZN8eI3AAsncPQACpCaTqIIAUQOLC9IMKCCA1gPjV3vdPHSCAnAXizWH/N8st
                v9wESO4egACSC8T9h3n3YwABBBBACgBxi3vuLX9AANkLxIdk8z80BAQQQAA5AMRzGPc8lwIIIIAAAgggVYB4FvS+Z2MBAQQQQAAB
                5DQQ30e59/s5gAACCCCAAAIIIIAAAggggAACCCCAAAIIIIAsAeLC3AsVEEAAAQQQQAABBBBAAAEEEEAAAQQQQAABBBBAAMk5FQKQ
                +4AcOwsGEEAAAQQQQA4iAeTsHsfPpAMEEEAAAQSQQ0gAObdHmbNxAQEEkNuAZCEB5Mwe5Y5gB2QgkAwkgOTvsfRIMkAAAQSQukgA
                yd1jy8HKgAByDAkgeXvE7gDpCyQyAgSQdCSA7N8jMnNh+kGN7ADpAyROBUh9IHEyQABJQQLInj2iSoDUAxLVAqQOkKgYIIBsQwLI
                uj2ieoCcAxJdAiQfSHQLkDwg0TVA9gOJ7gGyD0hMCZD1QGJagKwDEpMD5OtA4pYA+TyQuC1AHgcSNwfI/4GE9n8pqysQKgpCqYCD
                gsJQwICk9ykLOgsFDFjm/V8O5UEBA5ZUIK7OMDBAALMUiHUlSZLW9wwYjsOKpOH6GAAAAABJRU5ErkJggg==
                """, options: .ignoreUnknownCharacters)!)
}
