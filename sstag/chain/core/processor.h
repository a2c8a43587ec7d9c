// Which instructions this processor has, and the operating system keeps the registers of.
#pragma once

#include <stdint.h>

#if defined(__x86_64__) || defined(_M_X64)

#if defined(_MSC_VER) && !defined(__clang__)
#include <immintrin.h>
#include <intrin.h>
#else
#include <cpuid.h>
#endif

struct Processor {
    bool v3 = false, v4 = false;  // AVX2, FMA and F16C; and AVX-512 with F, DQ, BW and VL

    Processor() {
        uint32_t of_one[4] = {0, 0, 0, 0}, of_seven[4] = {0, 0, 0, 0};
        if (!ask(1, of_one) || !ask(7, of_seven)) return;
        auto has = [](uint32_t bits, int bit) { return (bits >> bit & 1) != 0; };
        if (!has(of_one[2], 27) || !has(of_one[2], 28)) return;  // the system says what it keeps; AVX
        const uint64_t kept = registers_kept();
        v3 = (kept & 0x6) == 0x6 && has(of_one[2], 12) && has(of_one[2], 29) && has(of_seven[1], 5);
        v4 = v3 && (kept & 0xe6) == 0xe6 && has(of_seven[1], 16) && has(of_seven[1], 17) && has(of_seven[1], 30) &&
             has(of_seven[1], 31);
    }

  private:
    static bool ask(uint32_t leaf, uint32_t (&found)[4]) {
#if defined(_MSC_VER) && !defined(__clang__)
        int numbers[4];
        __cpuid(numbers, 0);
        if ((uint32_t)numbers[0] < leaf) return false;
        __cpuidex(numbers, (int)leaf, 0);
        for (int i = 0; i < 4; ++i) found[i] = (uint32_t)numbers[i];
        return true;
#else
        return __get_cpuid_count(leaf, 0, &found[0], &found[1], &found[2], &found[3]) != 0;
#endif
    }

    static uint64_t registers_kept() {
#if defined(_MSC_VER) && !defined(__clang__)
        return _xgetbv(0);
#else
        uint32_t low, high;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return (uint64_t)high << 32 | low;
#endif
    }
};

#endif
