# SPDX-License-Identifier: Apache-2.0
# The layout depends on the version of CLI11: only the words are checked.
bobbin --help | grep -E '^  (compress|decompress|inspect|schema|stats|report|verify|cat|grep|scan|bench|devices) ' | awk '{print $1}'
bobbin --help | grep -E '^(Examples|Exit status)'
