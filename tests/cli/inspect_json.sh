# SPDX-License-Identifier: Apache-2.0
make i16 2500 'i % 300 - 150' > a.bin
bobbin compress a.bin --type i16 --rows-per-group 2048 -q
bobbin inspect a.bin.bob --json
