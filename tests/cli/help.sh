# SPDX-License-Identifier: Apache-2.0
bobbin --help
