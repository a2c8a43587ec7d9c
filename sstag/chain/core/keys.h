// Tables that tell the number of a key: open addressing, a key and its number side by side in one line of the cache.
//
// A key ≥ 0 stands at its home, a place that its bits are mixed into, or at the next free place after that. There are
// 2^bits places, more than there are keys. Whatever stands in a table, looking a key up ends and reads nothing else.
#pragma once

#include "arrays.h"
#include "lanes.h"

namespace LEVEL {

constexpr int64_t FREE = -1, KEYS_AHEAD = 16;

INLINE int64_t home(const Slots &table, int64_t key) {
    const uint64_t mixed = (uint64_t)key * 0x9e3779b97f4a7c15u;
    return (int64_t)((mixed ^ mixed >> 32) & (uint64_t)(table.places - 1));
}

// Where a key stands, or would stand; beyond the table if there is neither the key nor room for it.
INLINE int64_t place_of(const Slots &table, int64_t key) {
    int64_t place = home(table, key);
    for (int64_t looked = 0; looked < table.places; ++looked, place = (place + 1) & (table.places - 1))
        if (table.slots[2 * place] == key || table.slots[2 * place] == FREE) return place;
    return table.places;
}

// Fills a table with keys that are not negative.
static void fill_keys(const Slots &table, int64_t count, const int64_t *keys, const int32_t *numbers) {
    for (int64_t place = 0; place < table.places; ++place) table.slots[2 * place] = FREE;
    for (int64_t i = 0; i < count; ++i) {
        if (i + KEYS_AHEAD < count) ASK_FOR(table.slots + 2 * home(table, keys[i + KEYS_AHEAD]), 1);
        const int64_t place = place_of(table, keys[i]);
        table.slots[2 * place] = keys[i], table.slots[2 * place + 1] = numbers[i];
    }
}

// The number of each key: `otherwise` where the table does not have it, FREE where the key is FREE.
static void look_up(const Slots &table, int64_t count, const int64_t *keys, int32_t otherwise, int32_t *out) {
    for (int64_t i = 0; i < count; ++i) {
        if (i + KEYS_AHEAD < count) ASK_FOR(table.slots + 2 * home(table, keys[i + KEYS_AHEAD]), 0);
        if (keys[i] < 0) {
            out[i] = keys[i] == FREE ? (int32_t)FREE : otherwise;
            continue;
        }
        const int64_t place = place_of(table, keys[i]);
        const bool known = place < table.places && table.slots[2 * place] == keys[i];
        out[i] = known ? (int32_t)table.slots[2 * place + 1] : otherwise;
    }
}

}  // namespace LEVEL
