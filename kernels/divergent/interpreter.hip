// A stack machine: each lane runs its own program. A switch in a loop, a stack in private memory, data-dependent jumps.
//
// Instructions are dwords, code in the low byte, operand above: 0 halt, 1 push n, 2 push input, 3 add, 4 subtract,
// 5 multiply, 6 duplicate, 7 swap, 8 jump to n, 9 jump to n when zero (pops), 10 drop, 11 exclusive or, 12 shift right
// n. out = top of the stack at halt, or -1 on a fault (stack, code, or too many steps). Parameters: P_THREADS; P_DEPTH
// of the stack. Launch: P_THREADS work-items; grid (ceil(programs / THREADS)). Program p starts at start[p].
#include "device.h"
using namespace verilocc::kernels;

namespace {

template <int DEPTH> DEVICE int interpret(const u32 *RESTRICT code, int length, int input, int most_steps) {
  int stack[DEPTH];
  int top = 0, at = 0; // `top` numbers are on the stack
  for (int step = 0; step < most_steps; ++step) {
    if (at < 0 || at >= length)
      return -1;
    u32 word = code[at++];
    int operand = (int)word >> 8;
    u32 op = word & 255u;
    int needs = op == 3 || op == 4 || op == 5 || op == 7 || op == 11 ? 2 : op == 6 || op >= 9 ? 1 : 0;
    if (top < needs || (top == DEPTH && (op == 1 || op == 2 || op == 6)))
      return -1;
    switch (op) {
    case 0:
      return top ? stack[top - 1] : -1;
    case 1:
      stack[top++] = operand;
      break;
    case 2:
      stack[top++] = input;
      break;
    case 3:
      stack[top - 2] = (int)((u32)stack[top - 2] + (u32)stack[top - 1]);
      --top;
      break;
    case 4:
      stack[top - 2] = (int)((u32)stack[top - 2] - (u32)stack[top - 1]);
      --top;
      break;
    case 5:
      stack[top - 2] = (int)((u32)stack[top - 2] * (u32)stack[top - 1]);
      --top;
      break;
    case 6:
      stack[top] = stack[top - 1];
      ++top;
      break;
    case 7: {
      int upper = stack[top - 1];
      stack[top - 1] = stack[top - 2];
      stack[top - 2] = upper;
      break;
    }
    case 8:
      at = operand;
      break;
    case 9:
      if (stack[--top] == 0)
        at = operand;
      break;
    case 10:
      --top;
      break;
    case 11:
      stack[top - 2] ^= stack[top - 1];
      --top;
      break;
    case 12:
      stack[top - 1] >>= operand & 31;
      break;
    default:
      return -1;
    }
  }
  return -1;
}

} // namespace

KERNEL(P_THREADS)
(const u32 *RESTRICT code, const int *RESTRICT start, const int *RESTRICT input, int *RESTRICT out, int programs,
 int most_steps) {
  int program = blockX() * P_THREADS + threadX();
  if (program >= programs)
    return;
  int first = start[program];
  out[program] = interpret<P_DEPTH>(code + first, start[program + 1] - first, input[program], most_steps);
}
