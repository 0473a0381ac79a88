// The exact search for the nearest, in f32: scores by tiles, the best of each tile of rows, the best of those.
//
// Scores are added up along the dimensions in one order, so that a pair has the same bits wherever it lies. The best are
// found by radix selection over keys of 64 bits, of which no two are the same: the answer does not depend on the order of
// threads. Reference: reference/nearest.rs.

constexpr u32 NEAREST_THREADS = 256;
constexpr u32 QUERIES = 64, VECTORS = 128, DEPTH = 16;
// Lines in shared memory keep the alignment of 16 bytes, and those of neighbours begin in different banks.
constexpr u32 QUERY_LINE = QUERIES + 4, VECTOR_LINE = VECTORS + 4;
constexpr u32 NEAREST_MAX = 1024;
constexpr u32 DIGITS = 256;

struct Pairs {
    const float* queries;
    u32 query_count;
    const float* vectors;
    const u32* rows;
    u32 first;
    u32 count;
    u32 dim;
};

// A thread has four queries and eight vectors, four of them from `4 x` and four from `64 + 4 x` on.
template <bool IS_DOT>
DEVICE void score_tile(const Pairs& pairs, float* scores, float* query_slab, float* vector_slab) {
    u32 first_query = blockIdx.y * QUERIES, first_vector = blockIdx.x * VECTORS;
    u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sums[4][8] = {};
    for (u32 depth = 0; depth < pairs.dim; depth += DEPTH) {
        u32 at = depth + x;
        bool is_dim = at < pairs.dim;
#pragma unroll
        for (u32 line = 0; line < QUERIES; line += 16) {
            u32 query = first_query + line + y;
            bool counts = is_dim && query < pairs.query_count;
            query_slab[x * QUERY_LINE + line + y] =
                counts ? pairs.queries[static_cast<u64>(query) * pairs.dim + at] : 0.0f;
        }
#pragma unroll
        for (u32 line = 0; line < VECTORS; line += 16) {
            u32 vector = first_vector + line + y;
            bool counts = is_dim && vector < pairs.count;
            float value = 0.0f;
            if (counts) {
                u32 row = pairs.rows == nullptr ? pairs.first + vector : pairs.rows[vector];
                value = pairs.vectors[static_cast<u64>(row) * pairs.dim + at];
            }
            vector_slab[x * VECTOR_LINE + line + y] = value;
        }
        __syncthreads();
#pragma unroll
        for (u32 step = 0; step < DEPTH; step++) {
            float query[4], vector[8];
            float4 q = *reinterpret_cast<const float4*>(query_slab + step * QUERY_LINE + y * 4);
            float4 low = *reinterpret_cast<const float4*>(vector_slab + step * VECTOR_LINE + x * 4);
            float4 high = *reinterpret_cast<const float4*>(vector_slab + step * VECTOR_LINE + VECTORS / 2 + x * 4);
            query[0] = q.x, query[1] = q.y, query[2] = q.z, query[3] = q.w;
            vector[0] = low.x, vector[1] = low.y, vector[2] = low.z, vector[3] = low.w;
            vector[4] = high.x, vector[5] = high.y, vector[6] = high.z, vector[7] = high.w;
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
#pragma unroll
                for (u32 j = 0; j < 8; j++) {
                    if (IS_DOT) {
                        sums[i][j] = fmaf(query[i], vector[j], sums[i][j]);
                    } else {
                        float difference = query[i] - vector[j];
                        sums[i][j] = fmaf(-difference, difference, sums[i][j]);
                    }
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        u32 query = first_query + y * 4 + i;
        if (query >= pairs.query_count) continue;
        float* line = scores + static_cast<u64>(query) * pairs.count;
#pragma unroll
        for (u32 j = 0; j < 8; j++) {
            u32 vector = first_vector + j / 4 * (VECTORS / 2) + x * 4 + j % 4;
            if (vector < pairs.count) line[vector] = sums[i][j];
        }
    }
}

KERNEL(NEAREST_THREADS, 2)
nearness(const float* queries, u32 query_count, const float* vectors, const u32* rows, u32 first, u32 count, u32 dim,
         u32 measure, float* scores) {
    SHARED(float, query_slab, DEPTH * QUERY_LINE);
    SHARED(float, vector_slab, DEPTH * VECTOR_LINE);
    Pairs pairs = {queries, query_count, vectors, rows, first, count, dim};
    if (measure == DOT) {
        score_tile<true>(pairs, scores, query_slab, vector_slab);
    } else {
        score_tile<false>(pairs, scores, query_slab, vector_slab);
    }
}

// The key of a row with its score: the larger the better, of equal scores the first row.
DEVICE u64 key_of(float score, u32 row) {
    // Zeros of both signs are one score.
    u32 bits = __float_as_uint(score + 0.0f);
    u32 order = bits >> 31 != 0 ? ~bits : bits | 0x80000000;
    if (score != score) order = 0;
    return static_cast<u64>(order) << 32 | static_cast<u32>(~row);
}

struct Scores {
    const float* scores;
    const u32* rows;
    u32 first;

    DEVICE u64 operator()(u32 at) const {
        return key_of(scores[at], rows == nullptr ? first + at : rows[at]);
    }
};

// Keys as they are; 0 is none.
struct Keys {
    const u64* keys;

    DEVICE u64 operator()(u32 at) const {
        return keys[at];
    }
};

// Counts the digits at `shift` of the keys that begin as `prefix`. Lanes that have the same digit add once.
template <typename Source>
DEVICE void count_digits(const Source& source, u32 count, u64 prefix, u32 shift, u32* digits) {
    digits[threadIdx.x] = 0;
    __syncthreads();
    for (u32 start = 0; start < count; start += NEAREST_THREADS) {
        u32 at = start + threadIdx.x;
        u64 key = at < count ? source(at) : 0;
        bool counts = key != 0 && (shift == 56 || key >> (shift + 8) == prefix >> (shift + 8));
        u32 digit = counts ? static_cast<u32>(key >> shift) & (DIGITS - 1) : DIGITS;
        u32 same = __match_any_sync(ALL_LANES, digit);
        bool is_first = (same & ((1u << threadIdx.x % WARP) - 1)) == 0;
        if (counts && is_first) atomicAdd(&digits[digit], static_cast<u32>(__popc(same)));
    }
    __syncthreads();
}

// Turns counts of digits into those of all that are as large or larger.
DEVICE void sum_from_the_largest(u32* digits) {
    for (u32 distance = 1; distance < DIGITS; distance *= 2) {
        u32 beyond = threadIdx.x + distance < DIGITS ? digits[threadIdx.x + distance] : 0;
        __syncthreads();
        digits[threadIdx.x] += beyond;
        __syncthreads();
    }
}

// Writes the `k` largest keys, the largest first, and zeros where there are fewer.
template <typename Source>
DEVICE void select(const Source& source, u32 count, u32 k, u64* out) {
    SHARED(u64, chosen, NEAREST_MAX);
    SHARED(u32, digits, DIGITS);
    SHARED(u32, state, 2);
    static_assert(DIGITS == NEAREST_THREADS, "a thread for each digit");

    // The smallest key that is chosen, digit by digit from the highest; so many of those with its prefix are.
    u64 threshold = 0;
    u32 wanted = k;
    for (u32 shift = 64; shift > 0;) {
        shift -= 8;
        count_digits(source, count, threshold, shift, digits);
        sum_from_the_largest(digits);
        u32 from = digits[threadIdx.x];
        u32 beyond = threadIdx.x + 1 < DIGITS ? digits[threadIdx.x + 1] : 0;
        if (digits[0] <= wanted) break;
        if (from >= wanted && beyond < wanted) {
            state[0] = threadIdx.x;
            state[1] = wanted - beyond;
        }
        __syncthreads();
        threshold |= static_cast<u64>(state[0]) << shift;
        wanted = state[1];
        __syncthreads();
    }

    for (u32 at = threadIdx.x; at < NEAREST_MAX; at += NEAREST_THREADS) chosen[at] = 0;
    if (threadIdx.x == 0) state[0] = 0;
    __syncthreads();
    for (u32 at = threadIdx.x; at < count; at += NEAREST_THREADS) {
        u64 key = source(at);
        if (key != 0 && key >= threshold) {
            u32 place = atomicAdd(&state[0], 1u);
            if (place < NEAREST_MAX) chosen[place] = key;
        }
    }
    __syncthreads();

    // Bitonic sorting, of as many as are needed.
    u32 size = 1;
    while (size < k) size *= 2;
    for (u32 run = 2; run <= size; run *= 2) {
        for (u32 distance = run / 2; distance > 0; distance /= 2) {
            for (u32 at = threadIdx.x; at < size; at += NEAREST_THREADS) {
                u32 other = at ^ distance;
                if (other > at) {
                    bool descends = (at & run) == 0;
                    u64 a = chosen[at], b = chosen[other];
                    if ((a < b) == descends) {
                        chosen[at] = b;
                        chosen[other] = a;
                    }
                }
            }
            __syncthreads();
        }
    }
    for (u32 at = threadIdx.x; at < k; at += NEAREST_THREADS) out[at] = chosen[at];
}

KERNEL(NEAREST_THREADS, 4)
best(const float* scores, const u32* rows, u32 first, u32 count, u32 k, u64* out, u32 stride, u32 at) {
    Scores source = {scores + static_cast<u64>(blockIdx.x) * count, rows, first};
    select(source, count, k, out + static_cast<u64>(blockIdx.x) * stride + at);
}

KERNEL(NEAREST_THREADS, 4)
merge(const u64* keys, u32 count, u32 k, u64* out, u32 stride) {
    Keys source = {keys + static_cast<u64>(blockIdx.x) * count};
    // All keys of a query are read before the first is written: `out` may be the begin of `keys`.
    select(source, count, k, out + static_cast<u64>(blockIdx.x) * stride);
}
