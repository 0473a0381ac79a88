// Attention of the tokens of each text to each other, without a matrix of scores in memory.
//
// Online softmax as in Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018); tiles of queries that
// pass over tiles of keys as in Dao, "FlashAttention-2" (2023), here over texts of all lengths without padding. Scores and
// sums are f32, the shares that values are multiplied by are elements.
//
// A block has 64 queries of one text in one head, each of its four warps 16 of them; tiles of 64 keys and their values come
// through shared memory, the next while one is computed. Reference: reference/attention.rs.

constexpr u32 ATTENTION_THREADS = 128;
// Queries, and keys, of a tile.
constexpr u32 TILE = 64;
// Blocks that share a processor: as many as its shared memory holds, or its registers without spills.
constexpr u32 ATTENTION_32_BLOCKS = CAPABILITY < 80 ? 3 : 4;
constexpr u32 ATTENTION_64_BLOCKS = CAPABILITY < 80 ? 2 : CAPABILITY == 80 || CAPABILITY == 90 ? 4 : 3;
constexpr u32 ATTENTION_OFFSETS_BLOCKS = 2;
constexpr float LOG2_E = 1.4426950408889634f;

DEVICE float minus_infinity() {
    return __uint_as_float(0xff800000);
}

struct Attention {
    const Element* qkv;
    u32 stride;
    u32 heads;
    float factor;
    bool causal;
    const float* offsets;
    u32 span;
    Element* context;
};

// Loads the keys and values of a tile; those past the last key are zeros.
template <u32 SIZE>
DEVICE void load_keys(const Attention& attention, const Element* first_key, u32 tile, u32 key_count, Element* keys,
                      Element* values) {
    constexpr u32 CHUNKS = SIZE / CHUNK;
    u32 width = attention.heads * SIZE;
    for (u32 i = threadIdx.x; i < TILE * CHUNKS; i += ATTENTION_THREADS) {
        u32 row = i / CHUNKS, chunk = i % CHUNKS;
        u32 key = tile * TILE + row;
        bool counts = key < key_count;
        const Element* from = first_key + static_cast<u64>(counts ? key : 0) * attention.stride + chunk * CHUNK;
        u32 to = swizzled<SIZE>(row, chunk);
        copy_async(keys + to, from, counts);
        copy_async(values + to, from + width, counts);
    }
}

template <u32 SIZE, bool HAS_OFFSETS>
DEVICE void attend(const Attention& attention, const uint4* tiles) {
    constexpr u32 STEPS = SIZE / 16;
    SHARED(Element, keys, 2 * TILE * SIZE);
    SHARED(Element, values, 2 * TILE * SIZE);
    // First query, queries, first key, keys, in tokens of the batch.
    uint4 bounds = tiles[blockIdx.x];
    u32 query_count = bounds.y, key_count = bounds.w;
    u32 width = attention.heads * SIZE, head = blockIdx.y;
    u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    u32 matrix = lane / 8, line = lane % 8;
    // This lane has parts of two queries, `row` and `row + 8` of the tile.
    u32 row = warp * 16 + lane / 4, column = lane % 4 * 2;
    bool computes = warp * 16 < query_count;
    const Element* first_key = attention.qkv + static_cast<u64>(bounds.z) * attention.stride + width + head * SIZE;

    // The place of the first query among the keys.
    u32 place = bounds.x - bounds.z;
    u32 seen = attention.causal && place + query_count < key_count ? place + query_count : key_count;
    u32 tile_count = (seen + TILE - 1) / TILE;

    load_keys<SIZE>(attention, first_key, 0, key_count, keys, values);
    copy_commit();

    u32 queries[STEPS][4];
#pragma unroll
    for (u32 step = 0; step < STEPS; step++) {
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 query = row + i % 2 * 8;
            const Element* from = attention.qkv + static_cast<u64>(bounds.x + query) * attention.stride + head * SIZE +
                                  step * 16 + i / 2 * 8 + column;
            queries[step][i] = query < query_count ? *reinterpret_cast<const u32*>(from) : 0;
        }
    }

    float sums[SIZE / 8][4] = {};
    float most[2] = {minus_infinity(), minus_infinity()};
    float shares[2] = {0.0f, 0.0f};
    float factor = attention.factor * LOG2_E;

    for (u32 tile = 0; tile < tile_count; tile++) {
        u32 buffer = tile % 2 * TILE * SIZE;
        if (tile + 1 < tile_count) {
            u32 other = (tile + 1) % 2 * TILE * SIZE;
            load_keys<SIZE>(attention, first_key, tile + 1, key_count, keys + other, values + other);
        }
        copy_commit();
        copy_wait<1>();
        __syncthreads();
        if (computes) {
            float scores[TILE / 8][4] = {};
#pragma unroll
            for (u32 step = 0; step < STEPS; step++) {
#pragma unroll
                for (u32 pair = 0; pair < TILE / 16; pair++) {
                    u32 key[4];
                    load_matrices(key, keys + buffer +
                                           swizzled<SIZE>(pair * 16 + matrix / 2 * 8 + line, step * 2 + matrix % 2));
                    multiply_add(scores[pair * 2], queries[step], key[0], key[1]);
                    multiply_add(scores[pair * 2 + 1], queries[step], key[2], key[3]);
                }
            }

            bool is_masked = (tile + 1) * TILE > key_count || attention.causal;
            float largest[2] = {most[0], most[1]};
#pragma unroll
            for (u32 part = 0; part < TILE / 8; part++) {
#pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    u32 key = tile * TILE + part * 8 + column + i % 2;
                    u32 query = place + row + i / 2 * 8;
                    float score = scores[part][i] * factor;
                    if (HAS_OFFSETS && key < key_count && query < key_count) {
                        u64 line_of_head = static_cast<u64>(head) * (2 * attention.span - 1);
                        score = fmaf(attention.offsets[line_of_head + (key + attention.span - 1 - query)], LOG2_E, score);
                    }
                    if (is_masked && (key >= key_count || (attention.causal && key > query))) score = minus_infinity();
                    scores[part][i] = score;
                    largest[i / 2] = fmaxf(largest[i / 2], score);
                }
            }
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                largest[half] = fmaxf(largest[half], __shfl_xor_sync(ALL_LANES, largest[half], 1));
                largest[half] = fmaxf(largest[half], __shfl_xor_sync(ALL_LANES, largest[half], 2));
                // What was summed so far was relative to the largest score so far.
                float correction = power_of_2(most[half] - largest[half]);
                most[half] = largest[half];
                shares[half] *= correction;
#pragma unroll
                for (u32 part = 0; part < SIZE / 8; part++) {
                    sums[part][half * 2] *= correction;
                    sums[part][half * 2 + 1] *= correction;
                }
            }
#pragma unroll
            for (u32 part = 0; part < TILE / 8; part++) {
#pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    scores[part][i] = power_of_2(scores[part][i] - most[i / 2]);
                    shares[i / 2] += scores[part][i];
                }
            }

            // Scores lie in registers as sums do; two parts of eight keys are the left side of a product of sixteen.
#pragma unroll
            for (u32 step = 0; step < TILE / 16; step++) {
                u32 left[4];
#pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    const float(&part)[4] = scores[step * 2 + i / 2];
                    left[i] = pair_of(part[i % 2 * 2], part[i % 2 * 2 + 1]);
                }
#pragma unroll
                for (u32 pair = 0; pair < SIZE / 16; pair++) {
                    u32 value[4];
                    load_matrices_transposed(
                        value, values + buffer +
                                   swizzled<SIZE>(step * 16 + matrix % 2 * 8 + line, pair * 2 + matrix / 2));
                    multiply_add(sums[pair * 2], left, value[0], value[1]);
                    multiply_add(sums[pair * 2 + 1], left, value[2], value[3]);
                }
            }
        }
        __syncthreads();
    }

    if (!computes) return;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        shares[half] += __shfl_xor_sync(ALL_LANES, shares[half], 1);
        shares[half] += __shfl_xor_sync(ALL_LANES, shares[half], 2);
        u32 query = row + half * 8;
        if (query >= query_count) continue;
        float share = 1.0f / shares[half];
        Element* to = attention.context + static_cast<u64>(bounds.x + query) * width + head * SIZE + column;
#pragma unroll
        for (u32 part = 0; part < SIZE / 8; part++) {
            *reinterpret_cast<u32*>(to + part * 8) =
                pair_of(sums[part][half * 2] * share, sums[part][half * 2 + 1] * share);
        }
    }
}

KERNEL(ATTENTION_THREADS, ATTENTION_32_BLOCKS)
attention_32(const Element* qkv, u32 stride, const uint4* tiles, u32 heads, float factor, u32 causal,
             const float* offsets, u32 span, Element* context) {
    attend<32, false>({qkv, stride, heads, factor, causal != 0, offsets, span, context}, tiles);
}

KERNEL(ATTENTION_THREADS, ATTENTION_OFFSETS_BLOCKS)
attention_32_offsets(const Element* qkv, u32 stride, const uint4* tiles, u32 heads, float factor, u32 causal,
                     const float* offsets, u32 span, Element* context) {
    attend<32, true>({qkv, stride, heads, factor, causal != 0, offsets, span, context}, tiles);
}

KERNEL(ATTENTION_THREADS, ATTENTION_64_BLOCKS)
attention_64(const Element* qkv, u32 stride, const uint4* tiles, u32 heads, float factor, u32 causal,
             const float* offsets, u32 span, Element* context) {
    attend<64, false>({qkv, stride, heads, factor, causal != 0, offsets, span, context}, tiles);
}

KERNEL(ATTENTION_THREADS, ATTENTION_OFFSETS_BLOCKS)
attention_64_offsets(const Element* qkv, u32 stride, const uint4* tiles, u32 heads, float factor, u32 causal,
                     const float* offsets, u32 span, Element* context) {
    attend<64, true>({qkv, stride, heads, factor, causal != 0, offsets, span, context}, tiles);
}
