# SPDX-License-Identifier: Apache-2.0
# Every verb explains itself.
for verb in compress decompress inspect verify bench devices; do
  bobbin $verb --help | head -2
done
