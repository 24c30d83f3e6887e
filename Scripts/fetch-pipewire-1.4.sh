#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks PipeWire 1.4, as Debian built it for bookworm, into .build/pipewire-1.4, where the tests find it and try
# PipeBus with it as well. Nothing is installed and the system's package lists stay as they are: apt works on a state of
# its own.
#
#   sh Scripts/fetch-pipewire-1.4.sh [FOLDER]
set -eu

cd "$(dirname "$0")/.."
root=${1:-.build/pipewire-1.4}
version=1.4.2-1~bpo12+1
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
packages="pipewire-bin libpipewire-0.3-0 libpipewire-0.3-modules libspa-0.2-modules pipewire-jack"

if [ -x "$root/usr/bin/pipewire" ]; then
    echo "PipeWire 1.4 is in $root already."
    exit 0
fi
if [ ! -e "$keyring" ]; then
    echo "Debian's archive keys are missing; install debian-archive-keyring." >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/packages"
: >"$work/status"
# The archive that the system itself uses: it has the backports beside the release.
archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | awk '$2 == "bookworm" || $2 == "stable" || $2 == "oldstable" { print $1; exit }')
if [ -z "$archive" ]; then
    echo "This is not Debian 12, for which these packages are built; the tests go on without PipeWire 1.4." >&2
    exit 2
fi
echo "deb [signed-by=$keyring] $archive bookworm-backports main" >"$work/sources.list"
cat >"$work/apt.conf" <<EOF
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/nonexistent";
APT::Sandbox::User "root";
EOF
export APT_CONFIG="$work/apt.conf"

apt-get -qq update
(
    cd "$work/packages"
    for package in $packages; do apt-get -qq download "$package=$version"; done
)
# Complete or not there at all.
mkdir -p "$work/root" "$(dirname "$root")"
for file in "$work"/packages/*.deb; do dpkg -x "$file" "$work/root"; done
rm -rf "$root"
mv "$work/root" "$root"
echo "PipeWire $version is in $root."
