# SPDX-License-Identifier: Apache-2.0
# The layout is CLI11's and changes with its versions: the words count.
bobbin --help | grep -E '^  (compress|decompress|inspect|schema|stats|report|verify|cat|grep|scan|bench|devices) ' | awk '{print $1}'
bobbin --help | grep -E '^(Examples|Exit status)'
