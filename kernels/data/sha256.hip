// SHA-256 of many messages of one length, one a work-item (FIPS 180-4): long chains of 32-bit integer arithmetic.
//
// Messages are P_BLOCKS blocks of 64 bytes as big-endian dwords, padded by the caller, [block][16][count].
// Parameters: P_THREADS; P_BLOCKS; P_UNROLLED 1: all 64 rounds in a row, the message schedule in registers; 0: a loop
// of
//   16 rounds.
// Launch: P_THREADS work-items; grid (ceil(count / THREADS)). out is [8][count].
#include "device.h"
using namespace verilocc::kernels;

namespace {

constexpr u32 kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr u32 kStart[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

DEVICE u32 rotated(u32 x, int by) {
  return x >> by | x << (32 - by);
}

DEVICE void oneRound(u32 (&s)[8], u32 word, u32 constant) {
  u32 e = s[4], a = s[0];
  u32 t1 = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + constant + word;
  u32 t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
  UNROLL
  for (int i = 7; i > 0; --i)
    s[i] = s[i - 1];
  s[4] += t1;
  s[0] = t1 + t2;
}

DEVICE u32 scheduled(const u32 (&w)[16], int i) {
  u32 a = w[(i + 1) & 15], b = w[(i + 14) & 15];
  u32 low = rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3), high = rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10);
  return w[i & 15] + low + w[(i + 9) & 15] + high;
}

template <int BLOCKS, bool UNROLLED>
DEVICE void digest(const u32 *RESTRICT in, u32 *RESTRICT out, int count, int item) {
  u32 state[8];
  UNROLL
  for (int i = 0; i < 8; ++i)
    state[i] = kStart[i];
  NO_UNROLL
  for (int block = 0; block < BLOCKS; ++block) {
    u32 w[16], s[8];
    UNROLL
    for (int i = 0; i < 16; ++i)
      w[i] = in[(i64)(block * 16 + i) * count + item];
    UNROLL
    for (int i = 0; i < 8; ++i)
      s[i] = state[i];
    if constexpr (UNROLLED) {
      UNROLL
      for (int i = 0; i < 64; ++i) {
        if (i >= 16)
          w[i & 15] = scheduled(w, i);
        oneRound(s, w[i & 15], kRound[i]);
      }
    } else {
      NO_UNROLL
      for (int group = 0; group < 64; group += 16) {
        UNROLL
        for (int i = 0; i < 16; ++i) {
          if (group > 0)
            w[i] = scheduled(w, i);
          oneRound(s, w[i], kRound[group + i]);
        }
      }
    }
    UNROLL
    for (int i = 0; i < 8; ++i)
      state[i] += s[i];
  }
  UNROLL
  for (int i = 0; i < 8; ++i)
    out[(i64)i * count + item] = state[i];
}

} // namespace

KERNEL(P_THREADS)(const u32 *RESTRICT in, u32 *RESTRICT out, int count) {
  int item = blockX() * P_THREADS + threadX();
  if (item < count)
    digest<P_BLOCKS, P_UNROLLED>(in, out, count, item);
}
