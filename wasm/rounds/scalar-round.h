// A round over scalars: eight Gs over the words of v, one after the other, first on the columns,
// then on the diagonals. The including file defines G, with the last two arguments from the schedule.
#pragma once

#define SCALAR_ROUND(...) EIGHT_GS(__VA_ARGS__)
#define EIGHT_GS(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
  G(v[0], v[4], v[8], v[12], s0, s1)                                                   \
  G(v[1], v[5], v[9], v[13], s2, s3)                                                   \
  G(v[2], v[6], v[10], v[14], s4, s5)                                                  \
  G(v[3], v[7], v[11], v[15], s6, s7)                                                  \
  G(v[0], v[5], v[10], v[15], s8, s9)                                                  \
  G(v[1], v[6], v[11], v[12], s10, s11)                                                \
  G(v[2], v[7], v[8], v[13], s12, s13)                                                 \
  G(v[3], v[4], v[9], v[14], s14, s15)
