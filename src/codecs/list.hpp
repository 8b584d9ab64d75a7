// SPDX-License-Identifier: Apache-2.0
// The list of all codecs. CodecId, the registry and its table of device functions are made from it, and
// tools/check_codecs.py compares the lists in documents and in the Python reader with it.
#pragma once

// CODEC(name, wire id), by ascending id. Ids are part of the file format and never reused. The codec's folder
// defines bobbin::codec::<name>::kCodec (codec.cpp) and ops_on() (device.cu or registry_device.cu).
#define BOBBIN_CODECS(CODEC) \
  CODEC(bitpack, 1)          \
  CODEC(ffor, 2)             \
  CODEC(delta, 3)            \
  CODEC(fsst, 4)             \
  CODEC(patched, 5)          \
  CODEC(alp, 6)              \
  CODEC(alprd, 7)            \
  CODEC(masked, 8)           \
  CODEC(constant, 9)         \
  CODEC(dict, 10)            \
  CODEC(rle, 11)             \
  CODEC(sparse, 12)          \
  CODEC(zigzag, 13)          \
  CODEC(diff, 14)            \
  CODEC(zstd, 15)            \
  CODEC(ans, 16)             \
  CODEC(line, 17)
