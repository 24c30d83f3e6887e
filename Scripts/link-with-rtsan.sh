#!/bin/sh
# Links an executable a second time, with RealtimeSanitizer, from the objects `swift build` has left behind. Nothing is
# compiled and the normal executable stays as it is.
#
#     swift build -c debug --product PRODUCT
#     link-with-rtsan.sh PRODUCT debug OUTPUT [SCRATCH]
#
# SCRATCH is the build folder, .build unless given. For a test bundle PRODUCT is the name of the bundle without its
# suffix, for example PipeBusPackageTests.
set -eu

product=$1
configuration=$2
output=$3
scratch=${4:-.build}
manifest=$scratch/$configuration.yaml

# The build manifest holds the link command as a list of quoted words on one line, after the command's name.
words=$(mktemp)
trap 'rm -f "$words"' EXIT
sed -n "/^  \"C\.$product-[^\"]*-$configuration\.\(exe\|test\)\":\$/,/^ *args: /p" "$manifest" |
    sed -n 's/^ *args: \["\(.*\)"\]$/\1/p' |
    sed 's/","/\n/g' > "$words"
if [ ! -s "$words" ]; then
    echo "link-with-rtsan.sh: $manifest has no link command for $product; build it first" >&2
    exit 1
fi

# The word after -o is the normal executable; put the other one in its place. The first word is the linker driver.
driver=$(sed -n 1p "$words")
sed -i -e 1d -e "/^-o\$/{n;s|.*|$output|;}" "$words"
"$driver" "@$words" -Xclang-linker -fsanitize=realtime -Xlinker --export-dynamic

# A link without the sanitizer would run and prove nothing.
if ! nm "$output" | grep -q '[tT] __rtsan_realtime_enter$'; then
    echo "link-with-rtsan.sh: $output does not contain RealtimeSanitizer" >&2
    exit 1
fi
