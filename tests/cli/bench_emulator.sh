# SPDX-License-Identifier: Apache-2.0
# A device is measured in its own memory, and its results are checked.
make u16 2048 'i % 100' > a.bin
bobbin bench a.bin --type u16 --runs 1 --cache warm --backend emulator | grep 'emulator' | cut -d '|' -f 3-4 | sed "s, *$,,"
