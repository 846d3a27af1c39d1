// Packed dot products of the vector unit: V_DOT4_I32_I8 (V_DOT4_I32_IU8 from RDNA 3 on) and V_DOT2_F32_F16.
//
// A pack is one dword: four i8 or two f16. Source: ISA guides of CDNA 2, RDNA 2 and RDNA 3, VOP3P.
#pragma once
#include "device.h"

KERNELS_BEGIN

// c + a.b; exact for integers; the f16 products are not rounded before they are added.
DEVICE int dotAccumulate(i8, u32 a, u32 b, int c) {
#if defined(VERILOCC_HOST)
  for (int i = 0; i < 4; ++i)
    c += (int)(i8)(a >> 8 * i) * (int)(i8)(b >> 8 * i);
  return c;
#elif defined(__GFX11__) || defined(__GFX12__)
  return __builtin_amdgcn_sudot4(true, (int)a, true, (int)b, c, false);
#else
  return __builtin_amdgcn_sdot4((int)a, (int)b, c, false);
#endif
}
DEVICE float dotAccumulate(f16, u32 a, u32 b, float c) {
  f16x2 x = bitCast<f16x2>(a), y = bitCast<f16x2>(b);
#if defined(VERILOCC_HOST)
  return c + (float)x[0] * (float)y[0] + (float)x[1] * (float)y[1];
#else
  return __builtin_amdgcn_fdot2(x, y, c, false);
#endif
}

KERNELS_END
