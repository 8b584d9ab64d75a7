# SPDX-License-Identifier: Apache-2.0
# If the consumer of a pipe exits, the command ends silently, like other tools: by SIGPIPE.
make u32 1000000 i > a.bin
bobbin compress a.bin --type u32 -q
{ bobbin decompress a.bin.bob -o -; echo "status $?" >&2; } | head -c 4 | show u32
{ bobbin cat a.bin.bob; echo "status $?" >&2; } | head -n 2
{ bobbin cat a.bin.bob --format ndjson; echo "status $?" >&2; } | head -n 1
{ bobbin cat a.bin.bob --format table; echo "status $?" >&2; } | head -n 2 | tr -d ' '
