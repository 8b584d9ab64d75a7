#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh find_package|pkg_config SOURCE_DIR BUILD_DIR
# Installs a build into a folder of its own, moves that folder, and builds and runs the examples of
# README.md (C++) and docs/c-api.md (C) against it.
set -euo pipefail

way=$1 source=$2 build=$3
work=$build/tests/install/$way
rm -rf "$work"
mkdir -p "$work"

"${CMAKE:-cmake}" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix" # nothing may remember where it was installed

# The consumer: the examples as the documents show them.
cp -r "$source/tests/install/consumer" "$work/consumer"
sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$source/README.md" >"$work/consumer/example.cpp"
[[ -s $work/consumer/example.cpp ]] || { echo "README.md has no C++ example" >&2; exit 1; }
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$source/docs/c-api.md" >"$work/consumer/example.c"
[[ -s $work/consumer/example.c ]] || { echo "docs/c-api.md has no C example" >&2; exit 1; }
cd "$work/consumer"

case $way in
  find_package)
    sed -i "s/@VERSION@/$(<"$source/VERSION")/" CMakeLists.txt
    "${CMAKE:-cmake}" -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix${CMAKE_PREFIX_PATH:+;${CMAKE_PREFIX_PATH//:/;}}"
    "${CMAKE:-cmake}" --build build
    ./build/example
    [[ $(./build/example_c) == "21 42 63" ]]
    ;;
  pkg_config)
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name bobbin.pc)")
    export PKG_CONFIG_PATH
    [[ $(pkg-config --modversion bobbin) == "$(<"$source/VERSION")" ]]
    # shellcheck disable=SC2046 # several words on purpose
    "${CXX:-c++}" -std=c++20 example.cpp -o example $(pkg-config --cflags --libs bobbin)
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c99 -pedantic-errors -c example.c -o example_c.o $(pkg-config --cflags bobbin)
    # shellcheck disable=SC2046
    "${CXX:-c++}" example_c.o -o example_c $(pkg-config --libs bobbin)
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir bobbin)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    ./example
    [[ $(./example_c) == "21 42 63" ]]
    ;;
  *)
    echo "unknown way '$way'" >&2
    exit 2
    ;;
esac

# The command came along and reads what the example wrote.
"$work/prefix/bin/bobbin" verify prices.bob
[[ $("$work/prefix/bin/bobbin" --version) == *"$(<"$source/VERSION")"* ]]
