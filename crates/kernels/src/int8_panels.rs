//! Matrices of int8 weights for the product of rows of unsigned bytes: packed once, read by every product.
//!
//! A value `x` of channel `j` has the code `q = round(x f_j + o_j)` in 0..=255, so that `x ≈ (q - o_j) / f_j`. The weights of
//! a column are divided by the factors of their channels and rounded to steps of one size for each column, `w ≈ s c`. So
//! `Σ x w ≈ s (Σ q c - Σ o c)`: one sum of integers, which is exact, and one that is known when the matrix is packed.

use crate::panels::PANEL;

/// Rows of the matrix in one line: four products of bytes are one step of every processor that adds them up.
pub(crate) const GROUP: usize = 4;

/// Codes of a row lie in whole lines of so many bytes.
pub(crate) const CODE_LINE: usize = 64;

/// Rows of codes are kept in whole blocks of so many: those of a tile.
const CODE_ROWS: usize = 16;

/// Groups of rows in one line of codes: a panel has a multiple of them, the last filled with zeros.
const GROUPS: usize = CODE_LINE / GROUP;

/// Most rows of a matrix: `2^16 * 255 * 127` is below `2^31`, so that no sum overflows.
pub const INT8_DEPTH_MAX: usize = 1 << 16;

/// Codes of four rows in one panel, four of a column beside each other.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct CodeGroup(pub(crate) [i8; GROUP * PANEL]);

/// The numbers that make values of the sums of a panel: `(sum + first) scale + bias`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finish {
    pub(crate) first: [i32; PANEL],
    pub(crate) scale: [f32; PANEL],
    pub(crate) bias: [f32; PANEL],
    /// The sum of the codes of each column, for products whose rows are less by the same number everywhere.
    pub(crate) weights: [i32; PANEL],
}

/// A matrix of int8 weights whose columns lie in panels of [`PANEL`], with what makes values of the sums of each.
#[derive(Clone, Debug, Default)]
pub struct Int8Panels {
    depth: usize,
    columns: usize,
    groups: Vec<CodeGroup>,
    finish: Vec<Finish>,
}

impl Int8Panels {
    /// A matrix of zeros of `depth` rows; none where there is no memory for it.
    ///
    /// Panics if there are more than [`INT8_DEPTH_MAX`].
    pub fn new(depth: usize, columns: usize) -> Option<Self> {
        assert!(depth <= INT8_DEPTH_MAX, "sums have room in 32 bits");
        let panels = columns.div_ceil(PANEL);
        let none = Finish {
            first: [0; PANEL],
            scale: [0.0; PANEL],
            bias: [0.0; PANEL],
            weights: [0; PANEL],
        };
        let len = panels.checked_mul(Self::len(depth))?;
        let (mut groups, mut finish) = (Vec::new(), Vec::new());
        groups.try_reserve_exact(len).ok()?;
        finish.try_reserve_exact(panels).ok()?;
        groups.resize(len, CodeGroup([0; GROUP * PANEL]));
        finish.resize(panels, none);
        Some(Self {
            depth,
            columns,
            groups,
            finish,
        })
    }

    /// Groups of one panel.
    const fn len(depth: usize) -> usize {
        depth.div_ceil(CODE_LINE) * GROUPS
    }

    /// Rows.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Columns, without those that fill the last panel.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.groups.as_slice()) + size_of_val(self.finish.as_slice())
    }

    /// Sets the codes of a column and the three numbers that make values of its sums: `(sum + first) scale + bias`.
    ///
    /// Panics where there is no such column, or it does not have as many codes as the matrix has rows, or one of them is
    /// -128, which has no place in the bound of sums.
    pub fn set_column(&mut self, column: usize, codes: &[i8], first: i32, scale: f32, bias: f32) {
        assert!(column < self.columns, "the column is one of the matrix");
        assert_eq!(codes.len(), self.depth, "a code for each row");
        assert!(!codes.contains(&i8::MIN), "codes are within -127..=127");
        let (panel, within) = (column / PANEL, column % PANEL);
        let groups = &mut self.groups[panel * Self::len(self.depth)..];
        for (group, codes) in groups.iter_mut().zip(codes.chunks(GROUP)) {
            group.0[within * GROUP..][..codes.len()].copy_from_slice(codes);
        }
        let finish = &mut self.finish[panel];
        finish.first[within] = first;
        finish.scale[within] = scale;
        finish.bias[within] = bias;
        finish.weights[within] = codes.iter().map(|&code| i32::from(code)).sum();
    }

    /// The panels, each with what makes values of its sums and the number of its columns that count.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[CodeGroup], &Finish, usize)> {
        // A matrix without rows has panels without groups, which chunks do not tell.
        let len = Self::len(self.depth);
        let counts = (0..self.columns).step_by(PANEL);
        let panels = self.finish.iter().zip(counts).enumerate();
        panels.map(move |(panel, (finish, first))| {
            let groups = &self.groups[panel * len..][..len];
            (groups, finish, (self.columns - first).min(PANEL))
        })
    }
}

/// One cache line of codes.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct CodeLine(#[expect(dead_code, reason = "rows are read through pointers")] [u8; CODE_LINE]);

/// Rows of codes, each in cache lines of its own. Behind its last code a row holds anything: the weights there are zero.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    count: usize,
    depth: usize,
    lines: Vec<CodeLine>,
}

impl Codes {
    /// Makes it `count` rows of `depth` codes, in the memory that it has where that suffices. They hold anything until
    /// they are written.
    pub fn reshape(&mut self, count: usize, depth: usize) {
        (self.count, self.depth) = (count, depth);
        let lines = count.next_multiple_of(CODE_ROWS) * depth.div_ceil(CODE_LINE);
        if self.lines.len() < lines {
            self.lines.resize(lines, CodeLine([0; CODE_LINE]));
        }
    }

    /// Rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Codes of a row.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Bytes from the begin of a row to that of the next.
    pub(crate) fn stride(&self) -> usize {
        self.depth.next_multiple_of(CODE_LINE)
    }

    /// The codes of a row.
    ///
    /// Panics where there is no such row.
    pub fn row(&self, row: usize) -> &[u8] {
        assert!(row < self.count, "the row is one of them");
        let lines = self.lines[row * self.depth.div_ceil(CODE_LINE)..].as_ptr();
        // SAFETY: a row has its lines, and lines are nothing but their bytes.
        unsafe { std::slice::from_raw_parts(lines.cast(), self.depth) }
    }

    /// The codes of a row, to be written.
    ///
    /// Panics where there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [u8] {
        assert!(row < self.count, "the row is one of them");
        let lines = self.lines[row * self.depth.div_ceil(CODE_LINE)..].as_mut_ptr();
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(lines.cast(), self.depth) }
    }

    /// The begin of a row. It and the rows up to the end of its block of [`CODE_ROWS`] have [`stride`](Self::stride) bytes
    /// each.
    pub(crate) fn start(&self, row: usize) -> *const u8 {
        debug_assert!(row < self.count);
        self.lines[row * self.depth.div_ceil(CODE_LINE)..]
            .as_ptr()
            .cast()
    }
}

/// The way from values to codes: a factor and an offset for each channel.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// Steps of a code in one.
    pub factors: &'a [f32],
    /// Codes of zero.
    pub offsets: &'a [f32],
}
