# SPDX-License-Identifier: Apache-2.0
# Without a verb: a short help on stderr, and status 2.
bobbin
