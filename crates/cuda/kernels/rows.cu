// What is computed row by row: embeddings, normalisation, bias and activation, pooling, conversion.
//
// All are bound by memory: each value is read once, 16 bytes a thread, and kept in registers. Sums are of 32 bits, in an
// order that depends on the width alone, so a row has the same bits in any batch.
// Reference: reference/rows.rs.

constexpr u32 NORM_WARPS = 4;

// The place of a lane's chunk in its row.
DEVICE u32 chunk_of(u32 number) {
    return (number * WARP + threadIdx.x % WARP) * CHUNK;
}

// Normalises a row that lies in the registers of a warp: mean zero, variance one, times `weight`, plus `bias`.
template <u32 CHUNKS>
DEVICE void finish_row(float (&row)[CHUNKS][CHUNK], const float* weight, const float* bias, float epsilon, u32 width,
                       Element* sums, Element* out) {
    float sum = 0.0f;
#pragma unroll
    for (u32 number = 0; number < CHUNKS; number++) {
        u32 at = chunk_of(number);
        if (at >= width) break;
        if (sums != nullptr) store_chunk(sums + at, row[number]);
        for (u32 i = 0; i < CHUNK; i++) sum += row[number][i];
    }
    if (out == nullptr) return;
    float mean = sum_of_warp(sum) / static_cast<float>(width);
    float squares = 0.0f;
#pragma unroll
    for (u32 number = 0; number < CHUNKS; number++) {
        if (chunk_of(number) >= width) break;
        for (u32 i = 0; i < CHUNK; i++) {
            row[number][i] -= mean;
            squares = fmaf(row[number][i], row[number][i], squares);
        }
    }
    float factor = 1.0f / sqrtf(sum_of_warp(squares) / static_cast<float>(width) + epsilon);
#pragma unroll
    for (u32 number = 0; number < CHUNKS; number++) {
        u32 at = chunk_of(number);
        if (at >= width) break;
        float weights[CHUNK], biases[CHUNK];
        load_chunk(weights, weight + at);
        load_chunk(biases, bias + at);
        for (u32 i = 0; i < CHUNK; i++) row[number][i] = fmaf(row[number][i] * factor, weights[i], biases[i]);
        store_chunk(out + at, row[number]);
    }
}

template <typename T>
DEVICE void add_chunk(float (&sums)[CHUNK], const T* from) {
    float values[CHUNK];
    load_chunk(values, from);
    for (u32 i = 0; i < CHUNK; i++) sums[i] += values[i];
}

// Runs `WORK<CHUNKS>` with the registers that a width takes.
#define WITH_CHUNKS(width, WORK, ...)    \
    if (width <= 4 * WARP * CHUNK) {     \
        WORK<4>(__VA_ARGS__);            \
    } else {                             \
        WORK<8>(__VA_ARGS__);            \
    }

struct Tables {
    const Element* rows[4];
    u32 counts[4];
};

template <u32 CHUNKS>
DEVICE void embed_row(const Tables& tables, const i32* places, const float* weight, const float* bias, float epsilon,
                      u32 width, Element* sums, Element* out) {
    float row[CHUNKS][CHUNK] = {};
#pragma unroll
    for (u32 number = 0; number < CHUNKS; number++) {
        u32 at = chunk_of(number);
        if (at >= width) break;
#pragma unroll
        for (u32 table = 0; table < 4; table++) {
            i32 place = places[table];
            if (place == -1) continue;
            if (static_cast<u32>(place) < tables.counts[table]) {
                add_chunk(row[number], tables.rows[table] + static_cast<u64>(place) * width + at);
            } else {
                for (u32 i = 0; i < CHUNK; i++) row[number][i] = __uint_as_float(0x7fffffff);
            }
        }
    }
    finish_row<CHUNKS>(row, weight, bias, epsilon, width, sums, out);
}

KERNEL(NORM_WARPS * WARP, 4)
embed_norm(const Element* table_0, u32 rows_0, const Element* table_1, u32 rows_1, const Element* table_2, u32 rows_2,
           const Element* table_3, u32 rows_3, const i32* places, const float* weight, const float* bias, float epsilon,
           u32 tokens, u32 width, Element* sums, Element* out) {
    u32 token = blockIdx.x * NORM_WARPS + threadIdx.x / WARP;
    if (token >= tokens) return;
    Tables tables = {{table_0, table_1, table_2, table_3}, {rows_0, rows_1, rows_2, rows_3}};
    u64 at = static_cast<u64>(token) * width;
    places += static_cast<u64>(token) * 4;
    sums = sums == nullptr ? nullptr : sums + at;
    out = out == nullptr ? nullptr : out + at;
    WITH_CHUNKS(width, embed_row, tables, places, weight, bias, epsilon, width, sums, out)
}

template <u32 CHUNKS>
DEVICE void add_norm_row(const Element* product, const float* product_bias, const Element* residual,
                         const float* weight, const float* bias, float epsilon, u32 width, Element* sums, Element* out) {
    float row[CHUNKS][CHUNK] = {};
#pragma unroll
    for (u32 number = 0; number < CHUNKS; number++) {
        u32 at = chunk_of(number);
        if (at >= width) break;
        if (product != nullptr) add_chunk(row[number], product + at);
        if (product_bias != nullptr) add_chunk(row[number], product_bias + at);
        if (residual != nullptr) add_chunk(row[number], residual + at);
    }
    finish_row<CHUNKS>(row, weight, bias, epsilon, width, sums, out);
}

KERNEL(NORM_WARPS * WARP, 4)
add_norm(const Element* product, const float* product_bias, const Element* residual, const float* weight,
         const float* bias, float epsilon, u32 rows, u32 width, Element* sums, Element* out) {
    u32 row = blockIdx.x * NORM_WARPS + threadIdx.x / WARP;
    if (row >= rows) return;
    u64 at = static_cast<u64>(row) * width;
    product = product == nullptr ? nullptr : product + at;
    residual = residual == nullptr ? nullptr : residual + at;
    sums = sums == nullptr ? nullptr : sums + at;
    out = out == nullptr ? nullptr : out + at;
    WITH_CHUNKS(width, add_norm_row, product, product_bias, residual, weight, bias, epsilon, width, sums, out)
}

// A thread has the same columns of every row that it comes to, so it reads their bias once.
template <u32 ACTIVATION>
DEVICE void activate_columns(Element* values, const float* bias, u32 rows, u32 columns) {
    u32 column = (blockIdx.x * blockDim.x + threadIdx.x) * CHUNK;
    if (column >= columns) return;
    float biases[CHUNK] = {};
    if (bias != nullptr) load_chunk(biases, bias + column);
    for (u32 row = blockIdx.y; row < rows; row += gridDim.y) {
        Element* at = values + static_cast<u64>(row) * columns + column;
        float chunk[CHUNK];
        load_chunk(chunk, at);
        for (u32 i = 0; i < CHUNK; i++) chunk[i] = activated<ACTIVATION>(chunk[i] + biases[i]);
        store_chunk(at, chunk);
    }
}

KERNEL(128, 8)
bias_activation(Element* values, const float* bias, u32 activation, u32 rows, u32 columns) {
    WITH_ACTIVATION(activation, activate_columns, values, bias, rows, columns)
}

constexpr u32 POOL_THREADS = 256;

// A block for each text. Threads that have the same columns read every n-th token and are then added up in their order.
KERNEL(POOL_THREADS, 4)
pool(const Element* hidden, const u32* bounds, u32 width, u32 pooling, u32 normalise, float* vectors) {
    SHARED(float, parts, POOL_THREADS * CHUNK);
    SHARED(float, squares, POOL_THREADS / WARP);
    u32 start = bounds[blockIdx.x], end = bounds[blockIdx.x + 1];
    u32 tokens = end - start;
    float share = 0.0f;
    if (tokens > 0) {
        if (pooling == POOL_MEAN) {
            share = 1.0f / static_cast<float>(tokens);
        } else {
            start = pooling == POOL_FIRST ? start : end - 1;
            end = start + 1;
            share = 1.0f;
        }
    }
    u32 chunks = width / CHUNK;
    u32 groups = POOL_THREADS / chunks;
    u32 group = threadIdx.x / chunks;
    u32 column = threadIdx.x % chunks * CHUNK;
    float sums[CHUNK] = {};
    if (group < groups) {
        for (u32 token = start + group; token < end; token += groups) {
            add_chunk(sums, hidden + static_cast<u64>(token) * width + column);
        }
        store_chunk(parts + group * width + column, sums);
    }
    __syncthreads();
    float square = 0.0f;
    if (group == 0) {
        for (u32 other = 1; other < groups; other++) add_chunk(sums, parts + other * width + column);
        for (u32 i = 0; i < CHUNK; i++) {
            sums[i] *= share;
            square = fmaf(sums[i], sums[i], square);
        }
    }
    square = sum_of_warp(square);
    if (threadIdx.x % WARP == 0) squares[threadIdx.x / WARP] = square;
    __syncthreads();
    if (group > 0) return;
    if (normalise != 0) {
        float all = 0.0f;
        for (u32 warp = 0; warp < POOL_THREADS / WARP; warp++) all += squares[warp];
        // Zero stays zero; a sum that is infinite or no number makes all of them none.
        float factor = all == 0.0f ? 1.0f : 1.0f / sqrtf(all) + all * 0.0f;
        for (u32 i = 0; i < CHUNK; i++) sums[i] *= factor;
    }
    store_chunk(vectors + static_cast<u64>(blockIdx.x) * width + column, sums);
}

KERNEL(256, 4)
convert(const float* values, u64 count, Element* out) {
    u64 stride = static_cast<u64>(gridDim.x) * blockDim.x * CHUNK;
    u64 at = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) * CHUNK;
    for (; at + CHUNK <= count; at += stride) {
        float chunk[CHUNK];
        load_chunk(chunk, values + at);
        store_chunk(out + at, chunk);
    }
    for (; at < count; at++) out[at].bits = bits_of(values[at]);
}

// Through a square in shared memory, so that both sides are read and written along their rows. A line of it has an element
// more than needed: those of a column then lie in different banks.
KERNEL(256, 4)
convert_transposed(const float* values, u32 rows, u32 columns, Element* out) {
    SHARED(float, square, WARP * (WARP + 1));
    u32 lane = threadIdx.x % WARP;
    for (u32 line = threadIdx.x / WARP; line < WARP; line += blockDim.x / WARP) {
        u32 row = blockIdx.y * WARP + line, column = blockIdx.x * WARP + lane;
        if (row < rows && column < columns) {
            square[line * (WARP + 1) + lane] = values[static_cast<u64>(row) * columns + column];
        }
    }
    __syncthreads();
    for (u32 line = threadIdx.x / WARP; line < WARP; line += blockDim.x / WARP) {
        u32 row = blockIdx.y * WARP + lane, column = blockIdx.x * WARP + line;
        if (row < rows && column < columns) {
            out[static_cast<u64>(column) * rows + row].bits = bits_of(square[lane * (WARP + 1) + line]);
        }
    }
}
