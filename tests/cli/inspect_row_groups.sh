# SPDX-License-Identifier: Apache-2.0
bobbin-test-table t.bob
bobbin inspect t.bob --row-groups
