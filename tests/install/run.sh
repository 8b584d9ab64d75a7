#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh find_package|pkg_config|shared SOURCE_DIR BUILD_DIR
# Installs a build into a folder of its own, moves that folder, and builds and runs the examples of
# README.md, docs/assist.md and docs/kernels.md (C++), docs/c-api.md (C) and examples/csv.cpp against it.
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
# The first block is a program, others are parts of one.
sed -n '/^```c$/,/^```$/{/^```c$/d;/^```$/q;p}' "$source/docs/c-api.md" >"$work/consumer/example.c"
[[ -s $work/consumer/example.c ]] || { echo "docs/c-api.md has no C example" >&2; exit 1; }
sed -n '/^```cpp$/,/^```$/{/^```cpp$/d;/^```$/q;p}' "$source/docs/assist.md" >"$work/consumer/assist.cpp"
[[ -s $work/consumer/assist.cpp ]] || { echo "docs/assist.md has no C++ example" >&2; exit 1; }
# Two programs.
awk '/^```cpp$/ {n++; next} /^```$/ {next_is = 0} {if (n > m) {m = n; next_is = 1}} next_is {print >(dir "/kernels" n ".cpp")}' \
  dir="$work/consumer" "$source/docs/kernels.md"
[[ -s $work/consumer/kernels1.cpp && -s $work/consumer/kernels2.cpp ]] || { echo "docs/kernels.md lacks an example" >&2; exit 1; }
cp "$source/examples/csv.cpp" "$work/consumer/csv.cpp"
cd "$work/consumer"

case $way in
  find_package)
    sed -i "s/@VERSION@/$(<"$source/VERSION")/" CMakeLists.txt
    "${CMAKE:-cmake}" -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix${CMAKE_PREFIX_PATH:+;${CMAKE_PREFIX_PATH//:/;}}"
    "${CMAKE:-cmake}" --build build
    ./build/example
    ./build/example_csv "$source/examples/weather.csv" weather.bob weather.csv
    [[ $(./build/example_c) == "21 42 63" ]]
    ;;
  pkg_config)
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name bobbin.pc)")
    export PKG_CONFIG_PATH
    [[ $(pkg-config --modversion bobbin) == "$(<"$source/VERSION")" ]]
    # shellcheck disable=SC2046 # several words on purpose
    "${CXX:-c++}" -std=c++20 example.cpp -o example $(pkg-config --cflags --libs bobbin)
    # shellcheck disable=SC2046
    "${CXX:-c++}" -std=c++20 csv.cpp -o example_csv $(pkg-config --cflags --libs bobbin)
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c99 -pedantic-errors -c example.c -o example_c.o $(pkg-config --cflags bobbin)
    # shellcheck disable=SC2046
    "${CXX:-c++}" example_c.o -o example_c $(pkg-config --libs bobbin)
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir bobbin)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    ./example
    ./example_csv "$source/examples/weather.csv" weather.bob weather.csv
    [[ $(./example_c) == "21 42 63" ]]
    # Kernels of the user's own. Without the emulator there is nothing to run them on.
    for program in assist kernels1 kernels2; do
      # shellcheck disable=SC2046
      "${CXX:-c++}" -std=c++20 -Wall -Wextra -c $program.cpp -o $program.o $(pkg-config --cflags bobbin)
      if [[ $(pkg-config --libs bobbin) == *boost_context* ]]; then
        # shellcheck disable=SC2046
        "${CXX:-c++}" $program.o -o $program $(pkg-config --libs bobbin)
      fi
    done
    if [[ -x assist ]]; then
      [[ $(./assist) == *"sum 100009950000"* ]]
      [[ $(./kernels1) == "sum 100049950000" ]]
      [[ $(./kernels2) == "0 0 5000 10000 10000 5000 0 0 0 0 " ]]
    fi
    ;;
  shared)
    # A shared library from the objects of the static one: what it exports is enough for programs, and no more.
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name bobbin.pc)")
    export PKG_CONFIG_PATH
    libdir=$(pkg-config --variable=libdir bobbin)
    read -ra libraries <<<"$(pkg-config --libs bobbin)"
    others=()
    for library in "${libraries[@]}"; do
      [[ $library == -lbobbin ]] || others+=("$library")
    done
    "${CXX:-c++}" -shared -o libshared.so -Wl,--whole-archive "$libdir/libbobbin.a" -Wl,--no-whole-archive \
      -Wl,--no-undefined "${others[@]}"
    nm -DC --defined-only libshared.so | grep ' T ' >exported
    grep -q 'bobbin::Reader::open' exported
    if grep -E '^[0-9a-f]+ T bobbin::(codec|array|select|plan|table)::' exported; then
      echo "the shared library exports more than the public interface" >&2
      exit 1
    fi
    for program in example csv; do
      # shellcheck disable=SC2046
      "${CXX:-c++}" -std=c++20 $program.cpp -o $program $(pkg-config --cflags bobbin) -L. -lshared -Wl,-rpath,.
    done
    ./example
    ./csv "$source/examples/weather.csv" weather.bob weather.csv
    ;;
  *)
    echo "unknown way '$way'" >&2
    exit 2
    ;;
esac

# The command was installed too and reads what the example wrote.
"$work/prefix/bin/bobbin" verify prices.bob weather.bob
cmp weather.csv "$source/examples/weather.csv"
# The version macros agree with the VERSION file.
grep -q "define BOBBIN_VERSION \"$(<"$source/VERSION")\"" "$work/prefix/include/bobbin/version.h"
IFS=. read -r major minor patch <"$source/VERSION"
for part in "MAJOR $major" "MINOR $minor" "PATCH $patch"; do
  grep -q "define BOBBIN_VERSION_$part\$" "$work/prefix/include/bobbin/version.h"
done
[[ $("$work/prefix/bin/bobbin" --version) == *"$(<"$source/VERSION")"* ]]
