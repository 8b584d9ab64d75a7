# SPDX-License-Identifier: Apache-2.0
# Lines of any bytes are reproduced, whatever ends them.
try() { # NAME: stdin
  cat > "$1.txt"
  bobbin compress "$1.txt" --type lines --backend cpu -q
  bobbin decompress "$1.txt.bob" -o - | cmp - "$1.txt" && echo "$1: $(bobbin verify "$1.txt.bob")"
}
printf 'one\ntwo\nthree\n' | try plain
printf 'one\ntwo' | try unterminated
printf '' | try nothing
printf '\n' | try empty_line
printf '\n\n\n' | try empty_lines
printf 'a\r\nb\r\n' | try crlf
printf 'a\0b\n\0\n' | try zeros
printf '\377\376\n\200' | try bytes
python3 -c 'import sys; [print("line", i % 97, "of", i) for i in range(50000)]' | try many
python3 -c 'print("x" * 3000000); print("short"); print("y" * 2000000, end="")' | try long
bobbin inspect unterminated.txt.bob
# The same from a pipe, and row by row.
cat many.txt | bobbin compress --type lines --backend cpu > piped.bob && cmp piped.bob many.txt.bob
bobbin decompress many.txt.bob --rows 49998: -o -
bobbin decompress unterminated.txt.bob --rows 0:1 -o -
bobbin decompress unterminated.txt.bob --rows 1:2 -o - && echo '(no newline)'
