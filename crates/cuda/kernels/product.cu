// The product of rows with a matrix, bias and activation behind it: the fallback where cuBLASLt is not found.
//
// Blocks have a tile of the result; slabs of 32 of the depth of both sides come through shared memory, the next ones while
// one is computed by tensor cores. Each sum runs along the depth in one order, so a row has the same bits in any batch of
// the same kernel. Reference: reference/product.rs.

// Depth of a slab: rows of 64 bytes.
constexpr u32 SLAB = 32;

#if HAS_ASYNC_COPIES
constexpr u32 LARGE_STAGES = 3, SMALL_STAGES = 4;
#else
constexpr u32 LARGE_STAGES = 2, SMALL_STAGES = 2;
#endif

struct Product {
    const Element* rows;
    const Element* matrix;
    const float* bias;
    u32 row_count;
    u32 column_count;
    u32 depth;
    Element* out;
};

// Loads a slab of `COUNT` rows from row `first` on; what lies past the last row or the depth is zeros.
template <u32 COUNT, u32 THREADS>
DEVICE void load_slab(const Element* rows, u32 first, u32 row_count, u32 depth, u32 slab, Element* to) {
    constexpr u32 CHUNKS = SLAB / CHUNK;
    for (u32 i = threadIdx.x; i < COUNT * CHUNKS; i += THREADS) {
        u32 line = i / CHUNKS, chunk = i % CHUNKS;
        u32 row = first + line, at = slab * SLAB + chunk * CHUNK;
        bool counts = row < row_count && at < depth;
        const Element* from = counts ? rows + static_cast<u64>(row) * depth + at : rows;
        copy_async(to + swizzled<SLAB>(line, chunk), from, counts);
    }
}

template <u32 ACTIVATION, u32 ROWS, u32 COLUMNS>
DEVICE void store_tile(const Product& product, const float (&sums)[ROWS][COLUMNS][4], u32 first_row, u32 first_column) {
#pragma unroll
    for (u32 j = 0; j < COLUMNS; j++) {
        u32 column = first_column + j * 8;
        if (column >= product.column_count) continue;
        float bias_0 = product.bias == nullptr ? 0.0f : product.bias[column];
        float bias_1 = product.bias == nullptr ? 0.0f : product.bias[column + 1];
#pragma unroll
        for (u32 i = 0; i < ROWS; i++) {
#pragma unroll
            for (u32 half = 0; half < 2; half++) {
                u32 row = first_row + i * 16 + half * 8;
                if (row >= product.row_count) continue;
                float first = activated<ACTIVATION>(sums[i][j][half * 2] + bias_0);
                float second = activated<ACTIVATION>(sums[i][j][half * 2 + 1] + bias_1);
                Element* to = product.out + static_cast<u64>(row) * product.column_count + column;
                *reinterpret_cast<u32*>(to) = pair_of(first, second);
            }
        }
    }
}

// `STAGES` slabs are on their way at once. A warp computes the tile of `TILE_ROWS / WARP_ROWS` by
// `TILE_COLUMNS / WARP_COLUMNS`.
template <u32 TILE_ROWS, u32 TILE_COLUMNS, u32 WARP_ROWS, u32 WARP_COLUMNS, u32 STAGES>
DEVICE void multiply_tile(const Product& product, u32 activation) {
    constexpr u32 THREADS = WARP_ROWS * WARP_COLUMNS * WARP;
    constexpr u32 ROWS = TILE_ROWS / WARP_ROWS / 16, COLUMNS = TILE_COLUMNS / WARP_COLUMNS / 8;
    static_assert(COLUMNS % 2 == 0, "matrices are loaded for two parts of columns at once");
    SHARED(Element, left, STAGES * TILE_ROWS * SLAB);
    SHARED(Element, right, STAGES * TILE_COLUMNS * SLAB);
    u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    u32 matrix = lane / 8, line = lane % 8;
    u32 row = warp / WARP_COLUMNS * (TILE_ROWS / WARP_ROWS), column = warp % WARP_COLUMNS * (TILE_COLUMNS / WARP_COLUMNS);
    u32 first_row = blockIdx.x * TILE_ROWS, first_column = blockIdx.y * TILE_COLUMNS;
    u32 slab_count = (product.depth + SLAB - 1) / SLAB;

    auto load = [&](u32 slab) {
        if (slab < slab_count) {
            u32 stage = slab % STAGES;
            load_slab<TILE_ROWS, THREADS>(product.rows, first_row, product.row_count, product.depth, slab,
                                          left + stage * TILE_ROWS * SLAB);
            load_slab<TILE_COLUMNS, THREADS>(product.matrix, first_column, product.column_count, product.depth, slab,
                                             right + stage * TILE_COLUMNS * SLAB);
        }
        copy_commit();
    };
    for (u32 slab = 0; slab < STAGES - 1; slab++) load(slab);

    float sums[ROWS][COLUMNS][4] = {};
    for (u32 slab = 0; slab < slab_count; slab++) {
        copy_wait<STAGES - 2>();
        // Behind it this slab is there for all, and nobody reads the one before, whose place the next takes.
        __syncthreads();
        load(slab + STAGES - 1);
        const Element* left_slab = left + slab % STAGES * TILE_ROWS * SLAB;
        const Element* right_slab = right + slab % STAGES * TILE_COLUMNS * SLAB;
#pragma unroll
        for (u32 step = 0; step < SLAB / 16; step++) {
            u32 a[ROWS][4];
#pragma unroll
            for (u32 i = 0; i < ROWS; i++) {
                load_matrices(a[i], left_slab + swizzled<SLAB>(row + i * 16 + matrix % 2 * 8 + line,
                                                               step * 2 + matrix / 2));
            }
#pragma unroll
            for (u32 j = 0; j < COLUMNS; j += 2) {
                u32 b[4];
                load_matrices(b, right_slab + swizzled<SLAB>(column + j * 8 + matrix / 2 * 8 + line,
                                                             step * 2 + matrix % 2));
#pragma unroll
                for (u32 i = 0; i < ROWS; i++) {
                    multiply_add(sums[i][j], a[i], b[0], b[1]);
                    multiply_add(sums[i][j + 1], a[i], b[2], b[3]);
                }
            }
        }
    }

    WITH_ACTIVATION(activation, store_tile, product, sums, first_row + row + lane / 4,
                    first_column + column + lane % 4 * 2)
}

KERNEL(256, 2)
multiply_128(const Element* rows, const Element* matrix, const float* bias, u32 activation, u32 row_count,
             u32 column_count, u32 depth, Element* out) {
    multiply_tile<128, 128, 2, 4, LARGE_STAGES>({rows, matrix, bias, row_count, column_count, depth, out}, activation);
}

KERNEL(128, 4)
multiply_32(const Element* rows, const Element* matrix, const float* bias, u32 activation, u32 row_count,
            u32 column_count, u32 depth, Element* out) {
    multiply_tile<32, 64, 2, 2, SMALL_STAGES>({rows, matrix, bias, row_count, column_count, depth, out}, activation);
}
