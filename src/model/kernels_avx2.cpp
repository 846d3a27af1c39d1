#define VERILOCC_KERNELS avx2
#include "model/kernels_impl.h"
