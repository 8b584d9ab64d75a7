#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh find_package|pkg_config SOURCE_DIR BUILD_DIR
# Installs a build into a folder of its own, moves that folder, and builds and runs README.md's example against it.
set -euo pipefail

way=$1 source=$2 build=$3
work=$build/tests/install/$way
rm -rf "$work"
mkdir -p "$work"

"${CMAKE:-cmake}" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix" # nothing may remember where it was installed

# The consumer: the example as README.md shows it.
cp -r "$source/tests/install/consumer" "$work/consumer"
sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$source/README.md" >"$work/consumer/example.cpp"
[[ -s $work/consumer/example.cpp ]] || { echo "README.md has no C++ example" >&2; exit 1; }
cd "$work/consumer"

case $way in
  find_package)
    sed -i "s/@VERSION@/$(<"$source/VERSION")/" CMakeLists.txt
    "${CMAKE:-cmake}" -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix${CMAKE_PREFIX_PATH:+;${CMAKE_PREFIX_PATH//:/;}}"
    "${CMAKE:-cmake}" --build build
    ./build/example
    ;;
  pkg_config)
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name bobbin.pc)")
    export PKG_CONFIG_PATH
    [[ $(pkg-config --modversion bobbin) == "$(<"$source/VERSION")" ]]
    # shellcheck disable=SC2046 # several words on purpose
    "${CXX:-c++}" -std=c++20 example.cpp -o example $(pkg-config --cflags --libs bobbin)
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir bobbin)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ./example
    ;;
  *)
    echo "unknown way '$way'" >&2
    exit 2
    ;;
esac

# The command came along and reads what the example wrote.
"$work/prefix/bin/bobbin" verify prices.bob
[[ $("$work/prefix/bin/bobbin" --version) == *"$(<"$source/VERSION")"* ]]
