#include "model/kernels.h"

#include <algorithm>
#include <cassert>

namespace verilocc::model {

namespace plain {
extern const Kernels table;
}
#ifdef VERILOCC_AVX2
namespace avx2 {
extern const Kernels table;
}
#endif

PackedMatrix::PackedMatrix(std::initializer_list<const Matrix *> matrices) {
  for (const Matrix *matrix : matrices) {
    assert(columns == 0 || columns == matrix->columns);
    columns = matrix->columns;
    rows += matrix->rows;
  }
  values.resize(paddedRows() * columns);
  size_t row = 0;
  for (const Matrix *matrix : matrices)
    for (size_t r = 0; r < matrix->rows; ++r, ++row)
      for (size_t c = 0; c < columns; ++c)
        values[(row / panel * columns + c) * panel + row % panel] = matrix->values[r * columns + c];
}

const Kernels &plainKernels() {
  return plain::table;
}

const Kernels &kernels() {
#ifdef VERILOCC_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2::table;
#endif
  return plain::table;
}

} // namespace verilocc::model
