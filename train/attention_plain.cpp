#define VERILOCC_KERNELS plain
#include "train/attention_kernels_impl.h"
