// Sixteen numbers of single precision that are computed together, as lanes.h has eight doubles.
//
// Every level finds the same bits: products and sums are rounded once (`fused`), and the sixteen sums of a Sixteen are added
// up in one order, k and k + 8, then k and k + 4, k + 2, k + 1.
#pragma once

#include "lanes.h"

namespace LEVEL {

constexpr int WIDE = 16;

#if defined(SSTAG_V4)

// As many sums as stay in registers: rows times labels of scores, and vectors of dimensions times labels of slopes.
constexpr int TALL = 4, NARROW = 6, DEEP = 2, BROAD = 11;

struct Sixteen {
    __m512 all;
};

INLINE Sixteen each_of_16(float x) { return {_mm512_set1_ps(x)}; }
INLINE Sixteen load_16(const float *from) { return {_mm512_loadu_ps(from)}; }
INLINE Sixteen load_halves(const uint16_t *from) {
    return {_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from))};
}
INLINE void store_16(float *to, Sixteen a) { _mm512_storeu_ps(to, a.all); }
INLINE Sixteen operator-(Sixteen a, Sixteen b) { return {_mm512_sub_ps(a.all, b.all)}; }
INLINE Sixteen fused(Sixteen a, Sixteen b, Sixteen c) { return {_mm512_fmadd_ps(a.all, b.all, c.all)}; }
INLINE void add_16(double *to, Sixteen a) {
    store(to, load(to) + Lanes{_mm512_cvtps_pd(_mm512_castps512_ps256(a.all))});
    store(to + LANES, load(to + LANES) + Lanes{_mm512_cvtps_pd(_mm512_extractf32x8_ps(a.all, 1))});
}

INLINE __m512 eighths(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}
INLINE __m512 fourths(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}

INLINE __m512 halves(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xee));
}
INLINE __m512 singles(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}

// The sum of each of four rows of N: four times four of them are added up together, a row in each quarter of a register.
template <int N>
INLINE void put_sums(const Sixteen (&a)[TALL][N], float *to, int64_t width) {
    for (int first = 0; first < N; first += 4) {
        const int count = N - first < 4 ? N - first : 4;
        __m512 x[4];
        for (int n = 0; n < 4; ++n) {
            const int own = n < count ? first + n : first;
            x[n] = fourths(eighths(a[0][own].all, a[1][own].all), eighths(a[2][own].all, a[3][own].all));
        }
        const __m512 sums = singles(halves(x[0], x[1]), halves(x[2], x[3]));
        const __m128 rows[TALL] = {_mm512_castps512_ps128(sums), _mm512_extractf32x4_ps(sums, 1),
                                   _mm512_extractf32x4_ps(sums, 2), _mm512_extractf32x4_ps(sums, 3)};
        for (int m = 0; m < TALL; ++m) _mm_mask_storeu_ps(to + m * width + first, (__mmask8)((1 << count) - 1), rows[m]);
    }
}

#else

#if defined(SSTAG_V3)

constexpr int TALL = 1, NARROW = 6, DEEP = 1, BROAD = 6;

struct Sixteen {
    __m256 low, high;
};

INLINE Sixteen each_of_16(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
INLINE Sixteen load_16(const float *from) { return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}; }
INLINE Sixteen load_halves(const uint16_t *from) {
    return {_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from)),
            _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + 8)))};
}
INLINE Sixteen operator-(Sixteen a, Sixteen b) { return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)}; }
INLINE Sixteen fused(Sixteen a, Sixteen b, Sixteen c) {
    return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
INLINE float sum(Sixteen a) {
    const __m256 eight = _mm256_add_ps(a.low, a.high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
INLINE void store_16(float *to, Sixteen a) {
    _mm256_storeu_ps(to, a.low);
    _mm256_storeu_ps(to + 8, a.high);
}

#elif defined(SSTAG_NEON)

constexpr int TALL = 1, NARROW = 6, DEEP = 1, BROAD = 6;

struct Sixteen {
    float32x4_t part[4];
};

#define EACH_PART for (int i = 0; i < 4; ++i)
INLINE Sixteen each_of_16(float x) { return {{vdupq_n_f32(x), vdupq_n_f32(x), vdupq_n_f32(x), vdupq_n_f32(x)}}; }
INLINE Sixteen load_16(const float *from) {
    return {{vld1q_f32(from), vld1q_f32(from + 4), vld1q_f32(from + 8), vld1q_f32(from + 12)}};
}
INLINE Sixteen load_halves(const uint16_t *from) {
    Sixteen a;
    EACH_PART a.part[i] = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from + 4 * i)));
    return a;
}
INLINE Sixteen operator-(Sixteen a, Sixteen b) {
    EACH_PART a.part[i] = vsubq_f32(a.part[i], b.part[i]);
    return a;
}
INLINE Sixteen fused(Sixteen a, Sixteen b, Sixteen c) {
    EACH_PART c.part[i] = vfmaq_f32(c.part[i], a.part[i], b.part[i]);
    return c;
}
INLINE float sum(Sixteen a) {
    const float32x4_t four = vaddq_f32(vaddq_f32(a.part[0], a.part[2]), vaddq_f32(a.part[1], a.part[3]));
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
INLINE void store_16(float *to, Sixteen a) { EACH_PART vst1q_f32(to + 4 * i, a.part[i]); }
#undef EACH_PART

#else

constexpr int TALL = 1, NARROW = 4, DEEP = 1, BROAD = 4;

// A number in half precision: its exponent and fraction become those of a double that is 2^1008 times too small.
INLINE double half_as_double(uint16_t half) {
    uint64_t bits = (uint64_t)(half & 0x7fff) << 42;
    double size;
    memcpy(&size, &bits, sizeof size);
    size = (half & 0x7c00) == 0x7c00 ? ((half & 0x3ff) ? NAN : HUGE_VAL) : size * 0x1p1008;
    return half & 0x8000 ? -size : size;
}

struct Sixteen {
    float at[WIDE];
};

#define EACH_LANE for (int i = 0; i < WIDE; ++i)
INLINE Sixteen each_of_16(float x) {
    Sixteen a;
    EACH_LANE a.at[i] = x;
    return a;
}
INLINE Sixteen load_16(const float *from) {
    Sixteen a;
    memcpy(a.at, from, sizeof a.at);
    return a;
}
INLINE Sixteen load_halves(const uint16_t *from) {
    Sixteen a;
    EACH_LANE a.at[i] = (float)half_as_double(from[i]);
    return a;
}
INLINE Sixteen operator-(Sixteen a, Sixteen b) {
    EACH_LANE a.at[i] -= b.at[i];
    return a;
}
INLINE Sixteen fused(Sixteen a, Sixteen b, Sixteen c) {
    EACH_LANE c.at[i] = fmaf(a.at[i], b.at[i], c.at[i]);
    return c;
}
INLINE float sum(Sixteen a) {
    for (int half = WIDE / 2; half; half /= 2)
        for (int i = 0; i < half; ++i) a.at[i] += a.at[i + half];
    return a.at[0];
}
INLINE void store_16(float *to, Sixteen a) { memcpy(to, a.at, sizeof a.at); }
#undef EACH_LANE

#endif

INLINE void add_16(double *to, Sixteen a) {
    float numbers[WIDE];
    store_16(numbers, a);
    for (int i = 0; i < WIDE; ++i) to[i] += numbers[i];
}

// The sum of each of some rows of N.
template <int N>
INLINE void put_sums(const Sixteen (&a)[TALL][N], float *to, int64_t width) {
    for (int m = 0; m < TALL; ++m)
        for (int n = 0; n < N; ++n) to[m * width + n] = sum(a[m][n]);
}

#endif

INLINE Sixteen no_16() { return each_of_16(0.0f); }

// The first `count` of sixteen numbers in half precision, and 0 after them.
INLINE Sixteen load_first_halves(const uint16_t *from, int64_t count) {
    uint16_t padded[WIDE] = {};
    if (count > 0) memcpy(padded, from, (size_t)(count < WIDE ? count : WIDE) * sizeof *from);
    return load_halves(padded);
}

}  // namespace LEVEL
