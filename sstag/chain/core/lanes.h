// Eight numbers that are computed together, in the instructions of one level of processors.
//
// Every level does the same IEEE operations to each lane, and adds lanes up in one order, so that all of them find the
// same bits: SSTAG_V4 is x86-64-v4 (AVX-512), SSTAG_V3 is x86-64-v3 (AVX2 and FMA), SSTAG_NEON is ARM64, and without any
// of them the lanes are plain numbers in a loop. `fma` rounds once, which the C library does in software where no
// instruction does.
//
// This file is included once for each level, in a namespace of its own (LEVEL).
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(SSTAG_V4) || defined(SSTAG_V3)
#include <immintrin.h>
#elif defined(SSTAG_NEON)
#include <arm_neon.h>
#endif

// Where lanes are registers everything is put into the loop that calls it; as plain numbers they would be too much code.
#if defined(_MSC_VER) && !defined(__clang__)
#define INLINE static __forceinline
#define INLINE_MEMBER __forceinline
#define ASK_FOR(place, to_write) ((void)0)
#define ASK_FOR_SOON(place) ((void)0)
#else
#if defined(SSTAG_V4) || defined(SSTAG_V3) || defined(SSTAG_NEON)
#define INLINE static inline __attribute__((always_inline))
#define INLINE_MEMBER inline __attribute__((always_inline))
#else
#define INLINE static inline
#define INLINE_MEMBER inline
#endif
#define ASK_FOR(place, to_write) __builtin_prefetch(place, to_write)
#define ASK_FOR_SOON(place) __builtin_prefetch(place, 0, 2)  // not into the nearest cache
#endif

namespace LEVEL {

constexpr int LANES = 8;

#if defined(SSTAG_V4)

struct Lanes {
    __m512d all;
};
struct Bits {
    __m512i all;
};
using Mask = __mmask8;

INLINE Lanes each(double x) { return {_mm512_set1_pd(x)}; }
INLINE Lanes load(const double *from) { return {_mm512_loadu_pd(from)}; }
INLINE Lanes load_first(const double *from, int count) {
    return {_mm512_maskz_loadu_pd((Mask)((1u << count) - 1), from)};
}
INLINE Lanes load_single(const float *from) { return {_mm512_cvtps_pd(_mm256_loadu_ps(from))}; }
INLINE void store_single(float *to, Lanes a) { _mm256_storeu_ps(to, _mm512_cvtpd_ps(a.all)); }
INLINE void store(double *to, Lanes a) { _mm512_storeu_pd(to, a.all); }
INLINE void store_first(double *to, Lanes a, int count) {
    _mm512_mask_storeu_pd(to, (Mask)((1u << count) - 1), a.all);
}
INLINE Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.all, b.all)}; }
INLINE Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_pd(a.all, b.all)}; }
INLINE Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.all, b.all)}; }
INLINE Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_pd(a.all, b.all)}; }
INLINE Lanes fused(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.all, b.all, c.all)}; }
INLINE Mask operator<(Lanes a, Lanes b) { return _mm512_cmp_pd_mask(a.all, b.all, _CMP_LT_OQ); }
INLINE Lanes choose(Mask where, Lanes a, Lanes b) { return {_mm512_mask_blend_pd(where, b.all, a.all)}; }
INLINE bool any(Mask where) { return where != 0; }
INLINE double sum(Lanes a) {
    __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(a.all), _mm512_extractf64x4_pd(a.all, 1));
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
INLINE double largest(Lanes a) { return _mm512_reduce_max_pd(a.all); }
INLINE Bits bits_of(Lanes a) { return {_mm512_castpd_si512(a.all)}; }
INLINE Lanes lanes_of(Bits a) { return {_mm512_castsi512_pd(a.all)}; }
INLINE Bits operator+(Bits a, int64_t b) { return {_mm512_add_epi64(a.all, _mm512_set1_epi64(b))}; }
INLINE Bits operator&(Bits a, int64_t b) { return {_mm512_and_si512(a.all, _mm512_set1_epi64(b))}; }
INLINE Bits operator|(Bits a, int64_t b) { return {_mm512_or_si512(a.all, _mm512_set1_epi64(b))}; }
INLINE Bits left52(Bits a) { return {_mm512_slli_epi64(a.all, 52)}; }
INLINE Bits right52(Bits a) { return {_mm512_srli_epi64(a.all, 52)}; }

#elif defined(SSTAG_V3)

struct Lanes {
    __m256d low, high;
};
struct Bits {
    __m256i low, high;
};
struct Mask {
    __m256d low, high;
};

// The first `count` of eight: a window of eight that begins 8 - count places into this row.
alignas(64) static const int64_t FIRST[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

INLINE Lanes each(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
INLINE Lanes load(const double *from) { return {_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)}; }
INLINE Lanes load_first(const double *from, int count) {
    const __m256i *window = (const __m256i *)(FIRST + 8 - count), *next = (const __m256i *)(FIRST + 12 - count);
    return {_mm256_maskload_pd(from, _mm256_loadu_si256(window)),
            _mm256_maskload_pd(from + 4, _mm256_loadu_si256(next))};
}
INLINE void store_single(float *to, Lanes a) {
    _mm_storeu_ps(to, _mm256_cvtpd_ps(a.low));
    _mm_storeu_ps(to + 4, _mm256_cvtpd_ps(a.high));
}
INLINE Lanes load_single(const float *from) {
    return {_mm256_cvtps_pd(_mm_loadu_ps(from)), _mm256_cvtps_pd(_mm_loadu_ps(from + 4))};
}
INLINE void store(double *to, Lanes a) {
    _mm256_storeu_pd(to, a.low);
    _mm256_storeu_pd(to + 4, a.high);
}
INLINE void store_first(double *to, Lanes a, int count) {
    const __m256i *window = (const __m256i *)(FIRST + 8 - count), *next = (const __m256i *)(FIRST + 12 - count);
    _mm256_maskstore_pd(to, _mm256_loadu_si256(window), a.low);
    _mm256_maskstore_pd(to + 4, _mm256_loadu_si256(next), a.high);
}
INLINE Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)}; }
INLINE Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)}; }
INLINE Lanes operator*(Lanes a, Lanes b) { return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)}; }
INLINE Lanes operator/(Lanes a, Lanes b) { return {_mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high)}; }
INLINE Lanes fused(Lanes a, Lanes b, Lanes c) {
    return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
INLINE Mask operator<(Lanes a, Lanes b) {
    return {_mm256_cmp_pd(a.low, b.low, _CMP_LT_OQ), _mm256_cmp_pd(a.high, b.high, _CMP_LT_OQ)};
}
INLINE Lanes choose(Mask where, Lanes a, Lanes b) {
    return {_mm256_blendv_pd(b.low, a.low, where.low), _mm256_blendv_pd(b.high, a.high, where.high)};
}
INLINE bool any(Mask where) { return _mm256_movemask_pd(_mm256_or_pd(where.low, where.high)) != 0; }
INLINE double sum(Lanes a) {
    __m256d four = _mm256_add_pd(a.low, a.high);
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
INLINE double largest(Lanes a) {
    __m256d four = _mm256_max_pd(a.low, a.high);
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}
INLINE Bits bits_of(Lanes a) { return {_mm256_castpd_si256(a.low), _mm256_castpd_si256(a.high)}; }
INLINE Lanes lanes_of(Bits a) { return {_mm256_castsi256_pd(a.low), _mm256_castsi256_pd(a.high)}; }
INLINE Bits operator+(Bits a, int64_t b) {
    __m256i x = _mm256_set1_epi64x(b);
    return {_mm256_add_epi64(a.low, x), _mm256_add_epi64(a.high, x)};
}
INLINE Bits operator&(Bits a, int64_t b) {
    __m256i x = _mm256_set1_epi64x(b);
    return {_mm256_and_si256(a.low, x), _mm256_and_si256(a.high, x)};
}
INLINE Bits operator|(Bits a, int64_t b) {
    __m256i x = _mm256_set1_epi64x(b);
    return {_mm256_or_si256(a.low, x), _mm256_or_si256(a.high, x)};
}
INLINE Bits left52(Bits a) { return {_mm256_slli_epi64(a.low, 52), _mm256_slli_epi64(a.high, 52)}; }
INLINE Bits right52(Bits a) { return {_mm256_srli_epi64(a.low, 52), _mm256_srli_epi64(a.high, 52)}; }

#elif defined(SSTAG_NEON)

struct Lanes {
    float64x2_t part[4];
};
struct Bits {
    uint64x2_t part[4];
};
using Mask = Bits;

#define EACH_PART for (int i = 0; i < 4; ++i)
INLINE Lanes each(double x) { return {{vdupq_n_f64(x), vdupq_n_f64(x), vdupq_n_f64(x), vdupq_n_f64(x)}}; }
INLINE Lanes load(const double *from) {
    return {{vld1q_f64(from), vld1q_f64(from + 2), vld1q_f64(from + 4), vld1q_f64(from + 6)}};
}
INLINE Lanes load_first(const double *from, int count) {
    double padded[LANES] = {0, 0, 0, 0, 0, 0, 0, 0};
    memcpy(padded, from, (size_t)count * sizeof(double));
    return load(padded);
}
INLINE void store_single(float *to, Lanes a) { EACH_PART vst1_f32(to + 2 * i, vcvt_f32_f64(a.part[i])); }
INLINE Lanes load_single(const float *from) {
    return {{vcvt_f64_f32(vld1_f32(from)), vcvt_f64_f32(vld1_f32(from + 2)), vcvt_f64_f32(vld1_f32(from + 4)),
             vcvt_f64_f32(vld1_f32(from + 6))}};
}
INLINE void store(double *to, Lanes a) { EACH_PART vst1q_f64(to + 2 * i, a.part[i]); }
INLINE void store_first(double *to, Lanes a, int count) {
    double padded[LANES];
    store(padded, a);
    memcpy(to, padded, (size_t)count * sizeof(double));
}
INLINE Lanes operator+(Lanes a, Lanes b) {
    EACH_PART a.part[i] = vaddq_f64(a.part[i], b.part[i]);
    return a;
}
INLINE Lanes operator-(Lanes a, Lanes b) {
    EACH_PART a.part[i] = vsubq_f64(a.part[i], b.part[i]);
    return a;
}
INLINE Lanes operator*(Lanes a, Lanes b) {
    EACH_PART a.part[i] = vmulq_f64(a.part[i], b.part[i]);
    return a;
}
INLINE Lanes operator/(Lanes a, Lanes b) {
    EACH_PART a.part[i] = vdivq_f64(a.part[i], b.part[i]);
    return a;
}
INLINE Lanes fused(Lanes a, Lanes b, Lanes c) {
    EACH_PART c.part[i] = vfmaq_f64(c.part[i], a.part[i], b.part[i]);
    return c;
}
INLINE Mask operator<(Lanes a, Lanes b) {
    Mask m;
    EACH_PART m.part[i] = vcltq_f64(a.part[i], b.part[i]);
    return m;
}
INLINE Lanes choose(Mask where, Lanes a, Lanes b) {
    EACH_PART a.part[i] = vbslq_f64(where.part[i], a.part[i], b.part[i]);
    return a;
}
INLINE bool any(Mask where) {
    uint64x2_t one = vorrq_u64(vorrq_u64(where.part[0], where.part[1]), vorrq_u64(where.part[2], where.part[3]));
    return (vgetq_lane_u64(one, 0) | vgetq_lane_u64(one, 1)) != 0;
}
INLINE double sum(Lanes a) {
    float64x2_t left = vaddq_f64(a.part[0], a.part[2]), right = vaddq_f64(a.part[1], a.part[3]);
    float64x2_t two = vaddq_f64(left, right);
    return vgetq_lane_f64(two, 0) + vgetq_lane_f64(two, 1);
}
INLINE double largest(Lanes a) {
    float64x2_t left = vmaxq_f64(a.part[0], a.part[2]), right = vmaxq_f64(a.part[1], a.part[3]);
    return vmaxvq_f64(vmaxq_f64(left, right));
}
INLINE Bits bits_of(Lanes a) {
    Bits b;
    EACH_PART b.part[i] = vreinterpretq_u64_f64(a.part[i]);
    return b;
}
INLINE Lanes lanes_of(Bits a) {
    Lanes b;
    EACH_PART b.part[i] = vreinterpretq_f64_u64(a.part[i]);
    return b;
}
INLINE Bits operator+(Bits a, int64_t b) {
    EACH_PART a.part[i] = vaddq_u64(a.part[i], vdupq_n_u64((uint64_t)b));
    return a;
}
INLINE Bits operator&(Bits a, int64_t b) {
    EACH_PART a.part[i] = vandq_u64(a.part[i], vdupq_n_u64((uint64_t)b));
    return a;
}
INLINE Bits operator|(Bits a, int64_t b) {
    EACH_PART a.part[i] = vorrq_u64(a.part[i], vdupq_n_u64((uint64_t)b));
    return a;
}
INLINE Bits left52(Bits a) {
    EACH_PART a.part[i] = vshlq_n_u64(a.part[i], 52);
    return a;
}
INLINE Bits right52(Bits a) {
    EACH_PART a.part[i] = vshrq_n_u64(a.part[i], 52);
    return a;
}
#undef EACH_PART

#else

struct Lanes {
    double at[LANES];
};
struct Bits {
    uint64_t at[LANES];
};
using Mask = Bits;

#define EACH_LANE for (int i = 0; i < LANES; ++i)
INLINE Lanes each(double x) { return {{x, x, x, x, x, x, x, x}}; }
INLINE Lanes load(const double *from) {
    Lanes a;
    memcpy(a.at, from, sizeof a.at);
    return a;
}
INLINE Lanes load_first(const double *from, int count) {
    Lanes a = each(0.0);
    memcpy(a.at, from, (size_t)count * sizeof(double));
    return a;
}
INLINE void store_single(float *to, Lanes a) { EACH_LANE to[i] = (float)a.at[i]; }
INLINE Lanes load_single(const float *from) {
    Lanes a;
    EACH_LANE a.at[i] = from[i];
    return a;
}
INLINE void store(double *to, Lanes a) { memcpy(to, a.at, sizeof a.at); }
INLINE void store_first(double *to, Lanes a, int count) { memcpy(to, a.at, (size_t)count * sizeof(double)); }
INLINE Lanes operator+(Lanes a, Lanes b) {
    EACH_LANE a.at[i] += b.at[i];
    return a;
}
INLINE Lanes operator-(Lanes a, Lanes b) {
    EACH_LANE a.at[i] -= b.at[i];
    return a;
}
INLINE Lanes operator*(Lanes a, Lanes b) {
    EACH_LANE a.at[i] *= b.at[i];
    return a;
}
INLINE Lanes operator/(Lanes a, Lanes b) {
    EACH_LANE a.at[i] /= b.at[i];
    return a;
}
INLINE Lanes fused(Lanes a, Lanes b, Lanes c) {
    EACH_LANE c.at[i] = fma(a.at[i], b.at[i], c.at[i]);
    return c;
}
INLINE Mask operator<(Lanes a, Lanes b) {
    Mask m;
    EACH_LANE m.at[i] = a.at[i] < b.at[i] ? ~(uint64_t)0 : 0;
    return m;
}
INLINE Lanes choose(Mask where, Lanes a, Lanes b) {
    EACH_LANE a.at[i] = where.at[i] ? a.at[i] : b.at[i];
    return a;
}
INLINE bool any(Mask where) {
    uint64_t one = 0;
    EACH_LANE one |= where.at[i];
    return one != 0;
}
INLINE double sum(Lanes a) {
    double four[4] = {a.at[0] + a.at[4], a.at[1] + a.at[5], a.at[2] + a.at[6], a.at[3] + a.at[7]};
    return (four[0] + four[2]) + (four[1] + four[3]);
}
INLINE double largest(Lanes a) {
    double top = a.at[0];
    for (int i = 1; i < LANES; ++i) top = top < a.at[i] ? a.at[i] : top;
    return top;
}
INLINE Bits bits_of(Lanes a) {
    Bits b;
    memcpy(b.at, a.at, sizeof a.at);
    return b;
}
INLINE Lanes lanes_of(Bits a) {
    Lanes b;
    memcpy(b.at, a.at, sizeof a.at);
    return b;
}
INLINE Bits operator+(Bits a, int64_t b) {
    EACH_LANE a.at[i] += (uint64_t)b;
    return a;
}
INLINE Bits operator&(Bits a, int64_t b) {
    EACH_LANE a.at[i] &= (uint64_t)b;
    return a;
}
INLINE Bits operator|(Bits a, int64_t b) {
    EACH_LANE a.at[i] |= (uint64_t)b;
    return a;
}
INLINE Bits left52(Bits a) {
    EACH_LANE a.at[i] <<= 52;
    return a;
}
INLINE Bits right52(Bits a) {
    EACH_LANE a.at[i] >>= 52;
    return a;
}
#undef EACH_LANE

#endif

// What follows is made of the operations above, and so the same at every level.

// Both are a where the two are equal or one is NaN.
#if defined(SSTAG_V4)
INLINE Lanes larger(Lanes a, Lanes b) { return {_mm512_max_pd(b.all, a.all)}; }
INLINE Lanes smaller(Lanes a, Lanes b) { return {_mm512_min_pd(b.all, a.all)}; }
#elif defined(SSTAG_V3)
INLINE Lanes larger(Lanes a, Lanes b) { return {_mm256_max_pd(b.low, a.low), _mm256_max_pd(b.high, a.high)}; }
INLINE Lanes smaller(Lanes a, Lanes b) { return {_mm256_min_pd(b.low, a.low), _mm256_min_pd(b.high, a.high)}; }
#else
INLINE Lanes larger(Lanes a, Lanes b) { return choose(a < b, b, a); }
INLINE Lanes smaller(Lanes a, Lanes b) { return choose(b < a, b, a); }
#endif
INLINE double larger(double a, double b) { return a < b ? b : a; }
INLINE double smaller(double a, double b) { return b < a ? b : a; }

// How many vectors a row of numbers fills.
INLINE int vectors_of(int64_t numbers) { return (int)((numbers + LANES - 1) / LANES); }

// Vector n of the first `vectors` of a row, of which only the last may end before it is whole: what lies beyond the row is
// 0, and is not read or written. Where the number of vectors is known when this is compiled, the others cost no question.
template <class Count>
INLINE Lanes load_row(const double *row, int64_t numbers, int n, Count vectors) {
    const int64_t in_last = numbers - (vectors - 1) * LANES;
    if (n < vectors - 1 || in_last >= LANES) return load(row + n * LANES);
    return load_first(row + n * LANES, (int)in_last);
}
template <class Count>
INLINE void store_row(double *row, int64_t numbers, int n, Lanes a, Count vectors) {
    const int64_t in_last = numbers - (vectors - 1) * LANES;
    if (n < vectors - 1 || in_last >= LANES)
        store(row + n * LANES, a);
    else
        store_first(row + n * LANES, a, (int)in_last);
}
INLINE Lanes load_row(const double *row, int64_t numbers, int n) {
    return load_row(row, numbers, n, vectors_of(numbers));
}
INLINE void store_row(double *row, int64_t numbers, int n, Lanes a) {
    store_row(row, numbers, n, a, vectors_of(numbers));
}

}  // namespace LEVEL
