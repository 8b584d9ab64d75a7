#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rule of docs/architecture.md: a folder may include only lower layers.

Also: the command and measure/ use the public headers only, whose functions are exported; a codec's folder holds
the agreed file names and nothing else; a tile.hpp has no kernels; a codec knows other codecs only as KNOWN_CODECS
says; and CUDA's headers stay in files that only nvcc or a CUDA build reads.

usage: check_layers.py [--root DIR] | --self-test
"""
import argparse
import pathlib
import re
import sys
import tempfile

# From the lowest layer up: each may include itself and those before it.
LAYERS = [
    "include", "src/core", "src/device", "src/simt", "src/jit", "src/scan", "src/codecs", "src/array", "src/select",
    "src/plan", "src/file", "src/table", "src/query", "src/csv", "src/assist", "src/interop", "src/capi", "sim", "measure", "bench", "cli", "python", "examples", "tests", "fuzz",
]
FIRST_PROGRAM = LAYERS.index("sim")  # from here on: users of the library, not parts of it
# Programs that use the library as anybody else would: the public headers, and these folders.
PUBLIC_USERS = {"measure": {"measure"}, "cli": {"cli", "measure", "sim"}, "python": {"python"}, "examples": {"examples", "measure", "bench"}}

# Which other codecs a codec may build on.
KNOWN_CODECS = {"ffor": {"bitpack"}, "delta": {"ffor", "bitpack"}, "fsst": {"delta"},
                "patched": {"ffor", "bitpack"}, "alp": {"patched", "ffor", "bitpack"}, "alprd": {"patched", "ffor", "bitpack"},
                "masked": {"ffor"}, "dict": {"patched", "ffor", "bitpack"}}
# The headers of a codec's folder that others may include.
SHARED_BY_CODEC = {"tile.hpp", "kernels.hpp", "stage.hpp", "choose.hpp", "write.hpp"}

REQUIRED = {"spec.md", "codec.cpp", "encode.cpp", "decode.cpp", "tile.hpp", "kernels.hpp"}  # and <name>.hpp
OPTIONAL = {"reference.cpp", "estimate.cpp", "bounds.cpp", "device.cu", "slice.cpp", "compare.cpp", "take.cpp",
            "symbol_table.hpp", "symbol_table.cpp", "value_table.hpp", "stream.hpp", "match.hpp", "decode_kernel.hpp", "encode_kernel.hpp", "sample_kernel.hpp",
            "index_kernel.hpp", "gather_kernel.hpp", "query_kernels.hpp", "strings.hpp", "strings.cpp", "stage.hpp"}
# Stages of a codec whose format has several.
STAGES = {"ans": {"encode_step.hpp"},
          "line": {"array.hpp", "choose.hpp", "expand.hpp", "image.hpp", "write.hpp"},
          "zstd": {"array.hpp", "statistics.cpp", "statistics.hpp", "train.cpp", "frame_decode.cpp", "frame_device.cu", "frame_encode.cpp", "frame_kernels.hpp", "batch.cpp", "batch.hpp", "bits.hpp", "blocks_kernel.hpp", "encode_slice.hpp", "parse_kernel.hpp", "place_kernels.hpp", "tables_kernel.hpp", "chain_kernel.hpp", "checksum_kernel.hpp", "copy_runs.hpp", "run_table.hpp", "team_output.hpp", "warp_output.hpp", "word_output.hpp", "execute_kernel.hpp", "split_kernel.hpp", "fse_kernel.hpp", "huffman_kernel.hpp", "stream_ring.hpp", "sector_ring.hpp",
                   "encode_batch.cpp", "encode_blocks.hpp", "encode_device.cu", "encode_kernels.hpp", "encode_launch.hpp", "encode_tables.hpp", "finder.hpp", "match_kernels.hpp", "parse_block.hpp", "literals_kernel.hpp", "measure_kernel.hpp", "values_kernel.hpp", "copy.hpp", "dictionary.cpp", "frame.cpp", "frame.hpp", "frame_reference.cpp", "frame_reference.hpp", "fse.cpp", "fse.hpp", "fse_encode.cpp",
                   "fse_encode.hpp", "huffman.cpp", "huffman.hpp", "huffman_encode.cpp", "huffman_encode.hpp", "match.cpp", "parse.cpp",
                   "parse.hpp", "seek.cpp", "sequences.cpp", "sequences.hpp"}}

# Copied elsewhere before they are compiled: what they include is there, not here.
TEMPLATES = {"tests/adding_a_codec"}

CUDA_SUFFIXES = {".cu", ".cuh"}
SOURCE_SUFFIXES = {".hpp", ".h", ".cpp"} | CUDA_SUFFIXES
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Declared at the left margin, in one of the two forms that our headers have.
PUBLIC_FUNCTION = re.compile(r"\[\[(nodiscard|noreturn)\]\] (?!BOBBIN_API|inline|constexpr)|(const char\*|void|bobbin_status) bobbin_\w+\(")
KERNEL = re.compile(r"struct \w*Kernel\b")
CUDA_HEADER = re.compile(r"^(cuda|cub/|thrust/|nv/|cooperative_groups|device_launch|driver_types|vector_types|nvml|sm_)")


def layer_of(path):
    """The index in LAYERS of a path relative to the root, or None."""
    for index, folder in enumerate(LAYERS):
        if path.is_relative_to(folder):
            return index
    return None


def codec_of(path):
    """The codec whose folder contains a path, or None."""
    parts = path.parts
    return parts[2] if parts[:2] == ("src", "codecs") and len(parts) > 3 else None


def may_include_cuda(path):
    return path.suffix in CUDA_SUFFIXES or (path.parent.name == "device" and path.name.startswith("cuda_"))


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.problems = []
        self.files = {}
        for folder in LAYERS:
            for path in sorted((self.root / folder).rglob("*")):
                copied = any(path.is_relative_to(self.root / name) for name in TEMPLATES)
                if path.is_file() and path.suffix in SOURCE_SUFFIXES and not copied:
                    self.files[path.relative_to(self.root)] = path.read_text(encoding="utf-8")

    def report(self, path, line, message):
        self.problems.append(f"{path}:{line}: {message}")

    def resolve(self, path, name):
        """The file of the project that an include names, or None if it is generated or external."""
        for base in (path.parent, pathlib.Path("src"), pathlib.Path("include"), pathlib.Path(path.parts[0]),
                     pathlib.Path()):
            parts = []
            for part in (base / name).parts:
                if part == ".." and parts:
                    parts.pop()
                else:
                    parts.append(part)
            candidate = pathlib.Path(*parts)
            if candidate in self.files:
                return candidate
        return None

    def needs_cuda(self, path):
        return path.suffix in CUDA_SUFFIXES or any(
            not quoted and CUDA_HEADER.match(name) for _, quoted, name in includes(self.files[path]))

    def check_include(self, path, line, target):
        own, other = layer_of(path), layer_of(target)
        if other > own:
            self.report(path, line, f"{LAYERS[own]} is below {LAYERS[other]} and may not include {target}")
        allowed = PUBLIC_USERS.get(LAYERS[own])
        if allowed is not None and LAYERS[other] not in allowed | {"include"}:
            self.report(path, line, f"{LAYERS[own]} uses the public headers only and may not include {target}")
        if target.suffix == ".cpp":
            self.report(path, line, f"{target} is not a header")
        if self.needs_cuda(target) and not may_include_cuda(path):
            self.report(path, line, f"{target} needs CUDA: only *.cu, *.cuh and src/device/cuda_* may include it")
        codec = codec_of(target)
        if codec and codec != codec_of(path) and own < FIRST_PROGRAM:
            self.check_codec_use(path, line, target, codec)

    def check_codec_use(self, path, line, target, codec):
        user = codec_of(path)
        if user and codec not in KNOWN_CODECS.get(user, set()):
            self.report(path, line, f"codec {user} may not use codec {codec} (KNOWN_CODECS in check_layers.py)")
        elif not user and path.parent == pathlib.Path("src/codecs") and not path.stem.startswith("registry"):
            self.report(path, line, "of the files next to the codecs, only registry.* may include them")
        elif target.name != f"{codec}.hpp" and target.name not in SHARED_BY_CODEC:
            self.report(path, line, f"{target} is private to codec {codec}")

    def check_includes(self):
        for path, text in self.files.items():
            for line, quoted, name in includes(text):
                if not quoted and CUDA_HEADER.match(name) and not may_include_cuda(path):
                    self.report(path, line, f"<{name}> belongs in *.cu, *.cuh and src/device/cuda_* only")
                target = self.resolve(path, name) if quoted else None
                if target is not None and layer_of(target) is not None:
                    self.check_include(path, line, target)
                elif quoted and name.split("/")[0] in {pathlib.Path(l).name for l in LAYERS} and "_generated" not in name:
                    self.report(path, line, f'"{name}" is not there')

    def check_exports(self):
        """A function of the public headers that is not defined there is exported: a shared library hides the rest."""
        for path, text in self.files.items():
            before = ""
            for number, line in enumerate(text.splitlines(), 1):
                if path.parts[0] == "include" and PUBLIC_FUNCTION.match(line) and not before.startswith("template"):
                    self.report(path, number, "a public function needs BOBBIN_API")
                before = line

    def check_tiles(self):
        """A tile.hpp has functions on a tile, which kernels in other headers call."""
        for path, text in self.files.items():
            for number, line in enumerate(text.splitlines(), 1):
                if path.name == "tile.hpp" and KERNEL.search(line):
                    self.report(path, number, "a kernel belongs in kernels.hpp, or in a header *_kernel.hpp")

    def check_codec_folders(self):
        codecs = self.root / "src/codecs"
        for folder in sorted(p for p in codecs.glob("*") if p.is_dir()):
            present = {p.name for p in folder.iterdir()}
            required = REQUIRED | {f"{folder.name}.hpp"}
            where = folder.relative_to(self.root)
            for name in sorted(required - present):
                self.problems.append(f"{where}: {name} is missing")
            for name in sorted(present - required - OPTIONAL - STAGES.get(folder.name, set())):
                self.problems.append(f"{where}: {name} is not an allowed file name in a codec's folder")

    def check(self):
        self.check_includes()
        self.check_exports()
        self.check_tiles()
        self.check_codec_folders()
        return self.problems


def make_tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def good_tree():
    files = {
        "include/bobbin/status.hpp": "#include <string>\n[[nodiscard]] BOBBIN_API int f();\ntemplate <class T>\n[[nodiscard]] T g();\n",
        "src/core/bits.hpp": '#include "bobbin/status.hpp"\n',
        "src/device/cuda_status.hpp": "#include <cuda_runtime_api.h>\n",
        "src/device/cuda_api.cpp": '#include "device/cuda_status.hpp"\n',
        "src/codecs/codec.hpp": '#include "core/bits.hpp"\n',
        "src/codecs/registry.cpp": '#include "codecs/ffor/ffor.hpp"\n#include "codecs/bitpack/bitpack.hpp"\n',
        "src/file/reader.cpp": '#include "codecs/codec.hpp"\n#include "footer_generated.h"\n',
        "cli/main.cpp": '#include "bobbin/status.hpp"\n#include "args.hpp"\n#include "measure/timing.hpp"\n',
        "measure/timing.hpp": '#include "bobbin/status.hpp"\n',
        "cli/args.hpp": "",
    }
    for codec in ("bitpack", "ffor"):
        for name in REQUIRED | {f"{codec}.hpp"}:
            files[f"src/codecs/{codec}/{name}"] = ""
    files["src/codecs/ffor/tile.hpp"] = '#include "codecs/bitpack/tile.hpp"\n'
    files["src/codecs/ffor/device.cu"] = '#include <cuda_runtime.h>\n#include "device/cuda_status.hpp"\n'
    return files


# Each plants one violation: the files it adds or changes, and what the report must say.
PLANTED = [
    ({"include/bobbin/a.hpp": "[[nodiscard]] int f();\n"}, "a.hpp:1: a public function needs BOBBIN_API"),
    ({"src/core/bits.hpp": '#include "codecs/codec.hpp"\n'}, "src/core is below src/codecs and may not include"),
    ({"include/bobbin/status.hpp": '#include "core/bits.hpp"\n'}, "include is below src/core and may not include"),
    ({"src/file/reader.cpp": '#include "../../cli/args.hpp"\n'}, "src/file is below cli and may not include"),
    ({"cli/main.cpp": '#include "core/bits.hpp"\n'}, "cli uses the public headers only"),
    ({"measure/timing.hpp": '#include "core/bits.hpp"\n'}, "measure uses the public headers only"),
    ({"src/codecs/bitpack/decode.cpp": '#include "codecs/ffor/ffor.hpp"\n'}, "codec bitpack may not use codec ffor"),
    ({"src/codecs/ffor/decode.cpp": '#include "codecs/bitpack/private.hpp"\n',
      "src/codecs/bitpack/private.hpp": ""}, "is private to codec bitpack"),
    ({"src/codecs/codec.cpp": '#include "codecs/ffor/ffor.hpp"\n'}, "only registry.* may include them"),
    ({"src/codecs/bitpack/helpers.hpp": ""}, "helpers.hpp is not an allowed file name"),
    ({"src/codecs/delta/spec.md": ""}, "src/codecs/delta: kernels.hpp is missing"),
    ({"src/codecs/bitpack/tile.hpp": "#include <cuda_runtime.h>\n"}, "<cuda_runtime.h> belongs in"),
    ({"src/array/array.cpp": '#include "simt/cuda_cta.cuh"\n', "src/simt/cuda_cta.cuh": ""}, "needs CUDA"),
    ({"src/device/stream.cpp": '#include "device/cuda_status.hpp"\n'}, "needs CUDA"),
    ({"src/codecs/bitpack/tile.hpp": "template <class T>\nstruct DecodeKernel {};\n"}, "tile.hpp:2: a kernel belongs in"),
    ({"src/core/bits.cpp": '#include "core/gone.hpp"\n'}, '"core/gone.hpp" is not there'),
    ({"src/core/bits.cpp": '#include "core/types.cpp"\n', "src/core/types.cpp": ""}, "is not a header"),
]


def self_test():
    failures = 0
    for files, expected in [({}, None)] + PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            make_tree(root, good_tree() | files)
            problems = Tree(root).check()
        found = not problems if expected is None else any(expected in p for p in problems)
        if not found:
            failures += 1
            print(f"self-test: expected {expected or 'no problem'}, got {problems}", file=sys.stderr)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="check the checker on planted violations")
    args = parser.parse_args()
    if args.self_test:
        return 1 if self_test() else 0
    problems = Tree(args.root).check()
    print("\n".join(problems), end="\n" if problems else "")
    print(f"layers: {len(problems)} problems" if problems else "layers: in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
