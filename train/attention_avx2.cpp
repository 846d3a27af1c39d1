#define VERILOCC_KERNELS avx2
#include "train/attention_kernels_impl.h"
