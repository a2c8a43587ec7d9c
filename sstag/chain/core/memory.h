// Memory for what lies between arguments and results, for as long as a call takes.
#pragma once

#include <stdint.h>
#include <stdlib.h>

// Numbers that begin with a line of the cache. `at` is null if there is no memory for them.
struct Scratch {
    double *at;
    explicit Scratch(int64_t numbers) {
        constexpr size_t LINE = 64;
        at = nullptr;
        whole = numbers < (int64_t)1 << 57 ? malloc((size_t)numbers * sizeof(double) + LINE) : nullptr;
        if (whole) at = (double *)(((uintptr_t)whole + LINE - 1) / LINE * LINE);
    }
    ~Scratch() { free(whole); }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;

  private:
    void *whole;
};
