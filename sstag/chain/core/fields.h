// Lines of column files: where their fields are, and a number for each distinct text of a column.
//
// The first text of a column is 0, and each further one gets the next number. Texts are found again by a table with open
// addressing, which doubles when it is half full. Their hashes begin from a secret of the process, so that no file can be
// written whose texts all have one place; numbers do not depend on the secret.
#pragma once

#include "arrays.h"
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

namespace LEVEL {

// Space, tab, line feed, vertical tab, form feed, carriage return.
INLINE bool is_blank(uint8_t byte) { return byte == ' ' || (uint8_t)(byte - '\t') <= '\r' - '\t'; }

INLINE int64_t end_of_line(const Bytes &text, int64_t from) {
    const void *found = from < text.size ? memchr(text.at + from, '\n', (size_t)(text.size - from)) : nullptr;
    return found ? (const uint8_t *)found - text.at : text.size;
}

// The next field before `end`: `begin` moves to its first byte, the result is the place after its last one.
INLINE int64_t next_field(const Bytes &text, int64_t end, int64_t &begin) {
    while (begin < end && is_blank(text.at[begin])) ++begin;
    int64_t stop = begin;
    while (stop < end && !is_blank(text.at[stop])) ++stop;
    return stop;
}

// For each line the place of its first field, or of its end, and how many fields it has.
static void scan_lines(const Bytes &text, int64_t lines, int64_t *begins, int32_t *widths) {
    for (int64_t line = 0, start = 0; line < lines; ++line) {
        const int64_t end = end_of_line(text, start);
        int32_t width = 0;
        begins[line] = end;
        for (int64_t begin = start, stop; (stop = next_field(text, end, begin)) > begin; begin = stop)
            if (!width++) begins[line] = begin;
        widths[line] = width;
        start = end < text.size ? end + 1 : end;
    }
}

// The two halves of a product of 128 bits, one upon the other.
INLINE uint64_t folded(uint64_t a, uint64_t b) {
    const uint64_t low = a & UINT32_MAX, high = a >> 32, other_low = b & UINT32_MAX, other_high = b >> 32;
    const uint64_t crossed = high * other_low, middle = low * other_high + (low * other_low >> 32) + (crossed & UINT32_MAX);
    return (high * other_high + (crossed >> 32) + (middle >> 32)) ^ a * b;
}

INLINE uint64_t hashed(const uint8_t *at, int64_t size, uint64_t secret) {
    constexpr uint64_t ODD = 0x9e3779b97f4a7c15u;
    uint64_t hash = secret ^ (uint64_t)size * ODD, part;
    for (; size >= 8; at += 8, size -= 8) {
        memcpy(&part, at, 8);
        hash = folded(hash ^ part, secret | ODD);
    }
    part = 0;
    for (int64_t i = 0; i < size; ++i) part |= (uint64_t)at[i] << 8 * i;
    return folded(hash ^ part, (ODD ^ secret << 1) | 1);
}

// The texts of a column, each with its number; all zeros is none.
struct Texts {
    struct Slot {
        uint64_t hash;
        int32_t number;  // −1 where the slot is free
    };
    Slot *slots;
    int64_t room;
    int32_t count;

    // The number of a text, which is written to `places` (N, 2) if it is new; −1 without memory.
    int32_t number(const Bytes &text, int64_t begin, int64_t end, uint64_t secret, int64_t *places) {
        if (2 * (int64_t)count >= room && !grow()) return -1;
        const uint64_t hash = hashed(text.at + begin, end - begin, secret);
        for (int64_t slot = (int64_t)hash & (room - 1);; slot = (slot + 1) & (room - 1)) {
            if (slots[slot].number < 0) {
                slots[slot] = {hash, count};
                places[2 * count] = begin, places[2 * count + 1] = end;
                return count++;
            }
            const int64_t *const known = places + 2 * slots[slot].number;
            if (slots[slot].hash == hash && known[1] - known[0] == end - begin &&
                !memcmp(text.at + known[0], text.at + begin, (size_t)(end - begin)))
                return slots[slot].number;
        }
    }

    bool grow() {
        const int64_t wanted = room ? 2 * room : 256;
        Slot *const larger = (Slot *)malloc((size_t)wanted * sizeof(Slot));
        if (!larger) return false;
        for (int64_t i = 0; i < wanted; ++i) larger[i].number = -1;
        for (int64_t i = 0; i < room; ++i) {
            if (slots[i].number < 0) continue;
            int64_t slot = (int64_t)slots[i].hash & (wanted - 1);
            while (larger[slot].number >= 0) slot = (slot + 1) & (wanted - 1);
            larger[slot] = slots[i];
        }
        free(slots);
        slots = larger, room = wanted;
        return true;
    }
};

// For each column the numbers of the fields on some lines (N,), where each text stands first (N, 2), and how many there are.
// A line that ends before a column has an empty field there.
static int64_t code_fields(const Bytes &text, int64_t count, const int32_t *rows, int64_t columns, uint64_t secret,
                           int32_t *codes, int64_t *places, int64_t *distinct) {
    Texts *const texts = (Texts *)calloc((size_t)columns, sizeof(Texts));
    if (!texts) return NO_MEMORY;
    int64_t result = NONE;
    for (int64_t i = 0, line = 0, start = 0; i < count && result == NONE; ++i) {
        int64_t end = end_of_line(text, start);
        for (; line < rows[i] && start < text.size; ++line) {
            start = end < text.size ? end + 1 : end;
            end = end_of_line(text, start);
        }
        line = rows[i];
        int64_t begin = start;
        for (int64_t column = 0; column < columns; ++column) {
            const int64_t stop = next_field(text, end, begin);
            const int32_t code = texts[column].number(text, begin, stop, secret, places + 2 * column * count);
            if (code < 0) result = NO_MEMORY;
            codes[column * count + i] = code;
            begin = stop;
        }
    }
    for (int64_t column = 0; column < columns; ++column) {
        distinct[column] = texts[column].count;
        free(texts[column].slots);
    }
    free(texts);
    return result;
}

}  // namespace LEVEL
