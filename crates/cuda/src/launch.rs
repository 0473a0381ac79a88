//! The kernels by name: what each is given, in which order, and how many threads it takes.
//!
//! Every function here answers the [`Launch`] of one kernel for given sizes, and refuses sizes that the kernel does not
//! compute. Its comment lists the kernel's parameters in their order, each a pointer to device memory or a number of
//! the named width; `E` is the 16-bit [`Element`](crate::Element) of the program, and `or null` allows a null pointer.
//! Matrices are row-major. Pointers to `E`, and to f32 where it says so, lie on 16 bytes. The kernels use no dynamic
//! shared memory. [`reference`](crate::reference) computes the same in plain Rust.

/// Most components of a row that a block normalises.
pub const WIDTH_MAX: u32 = 2048;
/// Components that a thread reads at once, of which every row must have a multiple.
pub const CHUNK: u32 = 8;
/// Tables of embeddings that are added up.
pub const TABLES: usize = 4;
/// Queries of a tile of attention.
pub const ATTENTION_TILE: u32 = 64;
/// Sizes of a head that attention computes.
pub const HEAD_SIZES: [u32; 2] = [32, 64];
/// Most results of a search for the nearest.
pub const NEAREST_MAX: u32 = 1024;

/// Threads of a block, and of a warp.
const BLOCK: u32 = 256;
const WARP: u32 = 32;
/// Most blocks in the second direction of a grid.
const SECOND_MAX: u32 = 65_535;

/// One kernel with its grid. A grid without blocks is nothing to launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Name in the program.
    pub kernel: &'static str,
    /// Blocks in two directions.
    pub grid: [u32; 2],
    /// Threads of a block.
    pub block: u32,
}

impl Launch {
    fn new(kernel: &'static str, grid: [u32; 2], block: u32) -> Self {
        Self {
            kernel,
            grid,
            block,
        }
    }

    /// Tells whether there is nothing to compute; the driver refuses such a grid.
    pub fn is_empty(&self) -> bool {
        self.grid.contains(&0)
    }
}

/// Sizes that a kernel does not compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel} takes {what} {expected}, received {received}")]
pub struct UntakenSize {
    /// The kernel.
    pub kernel: &'static str,
    /// The size.
    pub what: &'static str,
    /// The sizes that it takes.
    pub expected: &'static str,
    /// The size that came.
    pub received: u64,
}

/// The function between two products of a layer, in the numbers that kernels know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Activation {
    /// None: `x`.
    None = 0,
    /// The Gaussian one: `x Φ(x)`.
    Gelu = 1,
    /// Its approximation by the hyperbolic tangent: `x / 2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
    GeluTanh = 2,
    /// Its approximation by the logistic function, as CLIP has it: `x / (1 + e^(-1.702 x))`.
    GeluQuick = 3,
}

/// The way from a vector for each token to one for the text, in the numbers that kernels know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Pool {
    /// Their mean.
    Mean = 0,
    /// The first.
    First = 1,
    /// The last.
    Last = 2,
}

/// The measure of nearness, in the numbers that kernels know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Nearness {
    /// Inner product.
    Dot = 0,
    /// Squared euclidean distance, negated.
    L2 = 1,
}

/// `embed_norm`: adds up the embeddings of each token and normalises the sum.
///
/// `E* table, u32 rows` four times, each `[rows, width]` (a table that there is not: null and 0);
/// `i32* places [tokens, 4]`, the row of each token in each table, -1 for none; `f32* weight [width]`,
/// `f32* bias [width]`, `f32 epsilon`, `u32 tokens`, `u32 width`, `E* sums [tokens, width]` or null, which gets the sums
/// themselves; `E* out [tokens, width]` or null. A place beyond its table makes the whole row NaN.
///
/// # Errors
/// [`UntakenSize`] unless the width is a multiple of [`CHUNK`] up to [`WIDTH_MAX`].
pub fn embed_norm(tokens: u32, width: u32) -> Result<Launch, UntakenSize> {
    rows_of_warps("embed_norm", tokens, width)
}

/// `add_norm`: a product, its bias and a residual, added up and normalised.
///
/// `E* product [rows, width]` or null, `f32* product_bias [width]` or null, `E* residual [rows, width]` or null,
/// `f32* weight [width]`, `f32* bias [width]`, `f32 epsilon`, `u32 rows`, `u32 width`, `E* sums [rows, width]` or null,
/// which gets the sums themselves; `E* out [rows, width]` or null. Outputs may be one of the inputs.
///
/// # Errors
/// [`UntakenSize`] unless the width is a multiple of [`CHUNK`] up to [`WIDTH_MAX`].
pub fn add_norm(rows: u32, width: u32) -> Result<Launch, UntakenSize> {
    rows_of_warps("add_norm", rows, width)
}

/// `bias_activation`: adds a bias to each row and applies an activation, in place.
///
/// `E* values [rows, columns]`, `f32* bias [columns]` or null, `u32 activation`, `u32 rows`, `u32 columns`.
///
/// # Errors
/// [`UntakenSize`] unless there is a multiple of [`CHUNK`] columns.
pub fn bias_activation(rows: u32, columns: u32) -> Result<Launch, UntakenSize> {
    let kernel = "bias_activation";
    chunks(kernel, "columns", columns)?;
    // Each thread comes to about four rows.
    let grid = [
        (columns / CHUNK).div_ceil(128),
        rows.div_ceil(4).min(SECOND_MAX),
    ];
    Ok(Launch::new(kernel, grid, 128))
}

/// `attention_32` and `attention_64`, by the size of a head, with `_offsets` behind it where scores have additions by
/// distance: each token's values, mixed by its scores.
///
/// `E* qkv [tokens, stride]`, queries, keys and values beside each other, each `[heads, size]`; `u32 stride`;
/// `u32x4* tiles [tiles]`, made by [`attention_tiles`](crate::attention_tiles); `u32 heads`; `f32 factor` of scores;
/// `u32 causal`, 1 where a token sees none behind it; `f32* offsets [heads, 2 * span - 1]`, null where there are none, added
/// to the score, after the factor, of a key that lies `j` tokens behind the query, at `j + span - 1`; `u32 span`, at least
/// the tokens of the longest text; `E* context [tokens, heads * size]`. Tiles lie on 16 bytes.
///
/// # Errors
/// [`UntakenSize`] unless a head has a size of [`HEAD_SIZES`].
pub fn attention(
    tiles: u32,
    heads: u32,
    head_size: u32,
    has_offsets: bool,
) -> Result<Launch, UntakenSize> {
    let kernel = match (head_size, has_offsets) {
        (32, false) => "attention_32",
        (64, false) => "attention_64",
        (32, true) => "attention_32_offsets",
        (64, true) => "attention_64_offsets",
        _ => {
            let expected = "32 or 64 components";
            return Err(untaken("attention", "heads of", expected, head_size));
        }
    };
    if heads > SECOND_MAX {
        return Err(untaken(kernel, "heads,", "up to 65,535", heads));
    }
    Ok(Launch::new(kernel, [tiles, heads], 128))
}

/// `pool`: one vector for each text.
///
/// `E* hidden [tokens, width]`, `u32* bounds [texts + 1]`, the first token of each text and the number of all;
/// `u32 width`, `u32 pool`, `u32 normalise`, 1 for vectors of length one (zero stays zero); `f32* vectors [texts, width]`,
/// on 16 bytes. A text without tokens has zeros.
///
/// # Errors
/// [`UntakenSize`] unless the width is a multiple of [`CHUNK`] up to [`WIDTH_MAX`].
pub fn pool(texts: u32, width: u32) -> Result<Launch, UntakenSize> {
    width_of("pool", width)?;
    Ok(Launch::new("pool", [texts, 1], BLOCK))
}

/// `convert`: floats to elements, rounded to the nearest.
///
/// `f32* values [count]` on 16 bytes, `u64 count`, `E* out [count]`.
pub fn convert(count: u64) -> Launch {
    Launch::new(
        "convert",
        [blocks_of(count.div_ceil(u64::from(CHUNK))), 1],
        BLOCK,
    )
}

/// `convert_transposed`: floats to elements, rows to columns.
///
/// `f32* values [rows, columns]`, `u32 rows`, `u32 columns`, `E* out [columns, rows]`.
///
/// # Errors
/// [`UntakenSize`] where there are more than two million rows.
pub fn convert_transposed(rows: u32, columns: u32) -> Result<Launch, UntakenSize> {
    let kernel = "convert_transposed";
    let grid = [columns.div_ceil(WARP), rows.div_ceil(WARP)];
    if grid[1] > SECOND_MAX {
        return Err(untaken(kernel, "rows,", "up to 2,097,120", rows));
    }
    Ok(Launch::new(kernel, grid, BLOCK))
}

/// `multiply_128` and, for few rows, `multiply_32`: rows times a matrix whose columns lie as rows.
///
/// `E* rows [rows, depth]`, `E* matrix [columns, depth]`, `f32* bias [columns]` or null, `u32 activation`, `u32 rows`,
/// `u32 columns`, `u32 depth`, `E* out [rows, columns]`. The fallback where cuBLASLt is not found.
///
/// # Errors
/// [`UntakenSize`] unless depth and columns are multiples of [`CHUNK`].
pub fn multiply(rows: u32, columns: u32, depth: u32) -> Result<Launch, UntakenSize> {
    let (kernel, tile_rows, tile_columns, block) = if rows > 256 {
        ("multiply_128", 128, 128, 256)
    } else {
        ("multiply_32", 32, 64, 128)
    };
    chunks(kernel, "columns", columns)?;
    chunks(kernel, "a depth", depth)?;
    let grid = [rows.div_ceil(tile_rows), columns.div_ceil(tile_columns)];
    if grid[1] > SECOND_MAX {
        return Err(untaken(kernel, "columns,", "up to 65,535 tiles", columns));
    }
    Ok(Launch::new(kernel, grid, block))
}

/// `nearness`: the nearness of each query to each of some rows.
///
/// `f32* queries [queries, dim]`, `u32 queries`, `f32* vectors [vectors, dim]`, `u32* rows [count]` or null, the rows of
/// the vectors that count; `u32 first`, the first row where they are all of a range; `u32 count`, `u32 dim`,
/// `u32 nearness`, `f32* scores [queries, count]`.
///
/// # Errors
/// [`UntakenSize`] where there are more than four million queries.
pub fn nearness(queries: u32, count: u32) -> Result<Launch, UntakenSize> {
    let kernel = "nearness";
    let grid = [count.div_ceil(128), queries.div_ceil(64)];
    if grid[1] > SECOND_MAX {
        return Err(untaken(kernel, "queries,", "up to 4,194,240", queries));
    }
    Ok(Launch::new(kernel, grid, BLOCK))
}

/// `best`: the best of each query's scores, as keys ([`decode_key`](crate::decode_key)), best first; 0 where there are fewer.
///
/// `f32* scores [queries, count]`, `u32* rows [count]` or null, `u32 first`, `u32 count`, `u32 k`,
/// `u64* out [queries, stride]`, `u32 stride`, `u32 at`: the keys of a query begin at `at` of its row of `out`, so that
/// several lists lie beside each other.
///
/// # Errors
/// [`UntakenSize`] unless `k` is 1 to [`NEAREST_MAX`].
pub fn best(queries: u32, k: u32) -> Result<Launch, UntakenSize> {
    nearest_of("best", queries, k)
}

/// `merge`: the best of several lists of keys, best first.
///
/// `u64* keys [queries, count]`, `u32 count`, `u32 k`, `u64* out [queries, stride]`, `u32 stride`: the keys of a query begin its
/// row of `out`, which may be `keys` where the stride is the count.
///
/// # Errors
/// [`UntakenSize`] unless `k` is 1 to [`NEAREST_MAX`].
pub fn merge(queries: u32, k: u32) -> Result<Launch, UntakenSize> {
    nearest_of("merge", queries, k)
}

fn nearest_of(kernel: &'static str, queries: u32, k: u32) -> Result<Launch, UntakenSize> {
    if k == 0 || k > NEAREST_MAX {
        return Err(untaken(kernel, "a number of results,", "1 to 1,024", k));
    }
    Ok(Launch::new(kernel, [queries, 1], BLOCK))
}

fn rows_of_warps(kernel: &'static str, rows: u32, width: u32) -> Result<Launch, UntakenSize> {
    width_of(kernel, width)?;
    // A warp for each row, four in a block.
    Ok(Launch::new(kernel, [rows.div_ceil(4), 1], 4 * WARP))
}

fn width_of(kernel: &'static str, width: u32) -> Result<(), UntakenSize> {
    if width == 0 || width > WIDTH_MAX || !width.is_multiple_of(CHUNK) {
        return Err(untaken(
            kernel,
            "a width,",
            "a multiple of 8 up to 2,048",
            width,
        ));
    }
    Ok(())
}

fn chunks(kernel: &'static str, what: &'static str, size: u32) -> Result<(), UntakenSize> {
    if size == 0 || !size.is_multiple_of(CHUNK) {
        return Err(untaken(kernel, what, "in multiples of 8", size));
    }
    Ok(())
}

fn untaken(
    kernel: &'static str,
    what: &'static str,
    expected: &'static str,
    received: u32,
) -> UntakenSize {
    UntakenSize {
        kernel,
        what,
        expected,
        received: received.into(),
    }
}

/// Blocks for so many threads; kernels that are given fewer go on in steps.
fn blocks_of(threads: u64) -> u32 {
    u32::try_from(threads.div_ceil(u64::from(BLOCK))).map_or(1 << 20, |blocks| blocks.min(1 << 20))
}
