# SPDX-License-Identifier: Apache-2.0
# Inputs that cannot be read.
mkdir folder
status bobbin compress missing.bin --type u8
status bobbin compress folder --type u8
status bobbin decompress missing.bob
status bobbin decompress folder -o x
status bobbin inspect missing.bob
status bobbin bench missing.bin --type u8
ls -A
