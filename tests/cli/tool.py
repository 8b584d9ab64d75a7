#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small helpers for the tests of the command.

usage: tool.py make TYPE COUNT EXPRESSION     raw values on stdout; EXPRESSION is in i
       tool.py show TYPE                      raw values from stdin, one per line
       tool.py flip FILE OFFSET               flips a bit; a negative offset counts from the end
       tool.py terminal COMMAND [ARGUMENT...] runs it on a new terminal, prints what it wrote there
       tool.py within MIB BYTES COMMAND ...   prints the first BYTES of its output, its status and, if it took more
                                              than MIB of memory, how much that was
"""
import os
import pty
import struct
import sys

CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
         "f32": "f", "f64": "d"}


def make(kind, count, expression):
    code = compile(expression, "expression", "eval")
    values = [eval(code, {"i": i}) for i in range(int(count))]  # the expression comes from a test of ours
    sys.stdout.buffer.write(struct.pack(f"<{len(values)}{CODES[kind]}", *values))


def show(kind):
    data = sys.stdin.buffer.read()
    for (value,) in struct.iter_unpack(f"<{CODES[kind]}", data):
        print(value)


def flip(path, offset):
    with open(path, "r+b") as file:
        position = int(offset)
        file.seek(position, os.SEEK_END if position < 0 else os.SEEK_SET)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))


def terminal(*command):
    child, master = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    text = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        text += piece
    sys.stdout.write(text.decode().replace("\r\n", "\n"))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def within(limit, shown, *command):
    out, into = os.pipe()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, into, 1)])
    os.close(into)
    text, size = b"", 0
    while piece := os.read(out, 1 << 16):
        text += piece[:max(0, int(shown) - size)]
        size += len(piece)
    _, status, usage = os.wait4(child, 0)
    taken = usage.ru_maxrss // 1024
    print(text.decode(errors="replace").rstrip("\n"))
    print(f"{size} bytes, status {os.waitstatus_to_exitcode(status)}" +
          (f", {taken} MiB of memory" if taken > int(limit) else ""))


if __name__ == "__main__":
    verbs = {"make": make, "show": show, "flip": flip, "terminal": terminal, "within": within}
    sys.exit(verbs[sys.argv[1]](*sys.argv[2:]))
