#!/bin/sh
# Installs missing packages for the build, the demo and the tests. Prints nothing when none is missing.
set -eu

if ! command -v swift > /dev/null; then
    echo "setup: there is no swift on the PATH; install Swift 6.3 from https://www.swift.org/install, then try again" >&2
    exit 1
fi

# Headers and daemon; the resampler, and for the benchmarks those beside which it was chosen; JACK's emulation and its tools for the tests; a private system bus and a session manager for them; recordings for the demo;
# callgrind for the counts; jq, a peer of a benchmark; Graphviz, which reads what `pipebus graph --dot` writes; tmux, whose screens the tests of `pipebus watch` compare; zsh and fish, in
# which its completion is tried; gtk-launch, which starts apps as a desktop does, and a display for it.
packages="
    libpipewire-0.3-dev libspa-0.2-dev libsndfile1-dev libebur128-dev libsamplerate0-dev libglib2.0-dev libpng-dev pkg-config
    libsoxr-dev libspeexdsp-dev jq
    pipewire pipewire-bin libspa-0.2-modules
    pipewire-jack jackd2 libjack-jackd2-dev
    dbus-daemon dbus-bin libglib2.0-bin desktop-file-utils shared-mime-info python3-gi sox time libsystemd0 wireplumber
    libgtk-3-bin xvfb
    graphviz tmux zsh fish alsa-utils valgrind binutils util-linux coreutils make git
"

missing=
for package in $packages; do
    # The package that is installed may be a newer one under the same name; its state is all that counts.
    state=$(dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2> /dev/null || true)
    case $state in
        ii*) ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

echo "setup: installing$missing"
as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo > /dev/null; then
        echo "setup: install these as root, then try again:$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
# jackd2 asks about real-time priority if it is let.
$as_root apt-get update -qq
# shellcheck disable=SC2086  # the list is meant to be split
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing > /dev/null
