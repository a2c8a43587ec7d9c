// exp and log, our own: those of C libraries differ in their last bit.
#pragma once

#include "lanes.h"

namespace LEVEL {

// 2^52 · 1.5: a number of this size has its whole part in its lowest bits, so adding it rounds to a whole number.
constexpr double WHOLE = 6755399441055744.0;
constexpr double INFINITE = HUGE_VAL;

// x 2^n of whole n, rounded once. Without an instruction for it, 2^n is multiplied in two halves, because it may be no
// number itself: n + 1023 becomes the exponent of one.
INLINE Lanes scaled(Lanes x, Lanes n) {
#if defined(SSTAG_V4)
    return {_mm512_scalef_pd(x.all, n.all)};
#else
    auto power_of_two = [](Lanes m) { return lanes_of(left52(bits_of(m + each(WHOLE + 1023.0)))); };
    Lanes half = fused(n, each(0.5), each(WHOLE)) - each(WHOLE);
    return (x * power_of_two(half)) * power_of_two(n - half);
#endif
}

// e^x = 2^n e^r with n = x / ln 2 rounded, |r| ≤ ln 2 / 2, and e^r = 1 + r + r² (1/2 + r/6 + …): Taylor's series to r^13.
// The error is below 0.9 units in the last place, in subnormals below 1.
INLINE Lanes exponential(Lanes x) {
    // What is 0 is not computed, since numbers near 0 take processors a hundred times as long. A NaN stays one.
    Mask is_zero = x < each(-746.0);
    x = choose(is_zero, each(0.0), x);
    x = choose(each(710.0) < x, each(710.0), x);
    Lanes n = fused(x, each(0x1.71547652b82fep+0), each(WHOLE)) - each(WHOLE);
    Lanes r = fused(n, each(-0x1.62e42fefa3800p-1), x);  // ln 2 in two parts, the first with zeros at its end
    r = fused(n, each(-0x1.ef35793c76730p-45), r);
    Lanes q = each(1.0 / 6227020800.0);
    q = fused(q, r, each(1.0 / 479001600.0));
    q = fused(q, r, each(1.0 / 39916800.0));
    q = fused(q, r, each(1.0 / 3628800.0));
    q = fused(q, r, each(1.0 / 362880.0));
    q = fused(q, r, each(1.0 / 40320.0));
    q = fused(q, r, each(1.0 / 5040.0));
    q = fused(q, r, each(1.0 / 720.0));
    q = fused(q, r, each(1.0 / 120.0));
    q = fused(q, r, each(1.0 / 24.0));
    q = fused(q, r, each(1.0 / 6.0));
    q = fused(q, r, each(0.5));
    return choose(is_zero, each(0.0), scaled(each(1.0) + fused(q, r * r, r), n));
}

// log x = k ln 2 + log m with √½ ≤ m < √2, and with f = m - 1, s = f / (2 + f), z = s²:
// log m = f - (f²/2 - s (f²/2 + R)), R = 2 z/3 + 2 z²/5 + 2 z³/7 + … . The error is below 1 unit in the last place.
INLINE Lanes logarithm(Lanes x) {
    Mask tiny = x < each(0x1p-1022);
    Lanes y = choose(tiny, x * each(0x1p54), x);
    Bits shifted = bits_of(y) + ((int64_t)0x3ff0000000000000 - (int64_t)0x3fe6a09e667f3bcd);
    Lanes k = lanes_of(right52(shifted) | (int64_t)0x4330000000000000) - each(4503599627370496.0 + 1023.0);
    k = choose(tiny, k - each(54.0), k);
    Lanes m = lanes_of((shifted & (int64_t)0x000fffffffffffff) + (int64_t)0x3fe6a09e667f3bcd);
    Lanes f = m - each(1.0);
    Lanes s = f / (each(2.0) + f), z = s * s;
    Lanes r = each(2.0 / 25.0);
    r = fused(r, z, each(2.0 / 23.0));
    r = fused(r, z, each(2.0 / 21.0));
    r = fused(r, z, each(2.0 / 19.0));
    r = fused(r, z, each(2.0 / 17.0));
    r = fused(r, z, each(2.0 / 15.0));
    r = fused(r, z, each(2.0 / 13.0));
    r = fused(r, z, each(2.0 / 11.0));
    r = fused(r, z, each(2.0 / 9.0));
    r = fused(r, z, each(2.0 / 7.0));
    r = fused(r, z, each(2.0 / 5.0));
    r = fused(r, z, each(2.0 / 3.0));
    r = r * z;
    Lanes squared = each(0.5) * f * f;
    Lanes low = fused(s, squared + r, k * each(0x1.ef35793c76730p-45)) - squared;
    Lanes result = fused(k, each(0x1.62e42fefa3800p-1), f + low);
    result = choose(x < each(0.0), each(NAN), result);
    result = choose(each(0.0) < x, result, choose(x < each(0.0), each(NAN), each(-INFINITE)));
    result = choose(x < each(INFINITE), result, x);  // ∞ and NaN are their own logarithms
    return result;
}

INLINE double exponential(double x) {
    double at[LANES];
    store(at, exponential(each(x)));
    return at[0];
}

INLINE double logarithm(double x) {
    double at[LANES];
    store(at, logarithm(each(x)));
    return at[0];
}

}  // namespace LEVEL
