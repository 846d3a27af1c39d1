#define VERILOCC_KERNELS plain
#include "model/kernels_impl.h"
