//! Matrices of bfloat16 for products whose sums are f32: packed once, read by every product.

use crate::panels::{self, Line as FloatLine, PANEL, Panels, RowsMut};

/// Values of a row that a product takes at once. They fill a cache line, and the row of a tile of AMX.
pub const BF16_LINE: usize = 32;
/// Pairs of values in a line, and columns of a tile.
const PAIRS: usize = BF16_LINE / 2;
/// Lines of a panel that meet one line of a row: a tile for each half of the columns.
pub(crate) const BLOCK_LINES: usize = PANEL;
/// Rows that a product may read at once.
const ROWS_AT_ONCE: usize = 16;

/// The bfloat16 numbers of a line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Bf16Line(pub(crate) [u16; BF16_LINE]);

/// The places of values within a line. A product takes them by pairs; it depends on the instruction which pairs make the
/// same sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bf16Order {
    /// As they come: an instruction adds up all that are first in their pair, and all that are second.
    AsTheyCome,
    /// First those that are first in their pair, two and two, the later one before the earlier, then the others so: an
    /// instruction adds the second of a pair to a sum and then the first.
    Parted,
}

impl Bf16Order {
    /// The index of the value at each place.
    pub(crate) const fn indices(self) -> [usize; BF16_LINE] {
        let mut indices = [0; BF16_LINE];
        let mut place = 0;
        while place < BF16_LINE {
            indices[place] = match self {
                Self::AsTheyCome => place,
                Self::Parted => {
                    let (pair, half) = (place / 2 % (PAIRS / 2), place / PAIRS);
                    4 * pair + 2 * (1 - place % 2) + half
                }
            };
            place += 1;
        }
        indices
    }

    /// The values of a line as they came.
    #[inline(always)]
    fn as_they_came(self, line: &Bf16Line) -> Bf16Line {
        if self == Self::AsTheyCome {
            return *line;
        }
        let mut values = Bf16Line::default();
        for (index, value) in self.indices().into_iter().zip(line.0) {
            values.0[index] = value;
        }
        values
    }
}

/// Rows of bfloat16, each beginning a line and filled up with zeros.
#[derive(Clone, Debug)]
pub struct Bf16Rows {
    order: Bf16Order,
    count: usize,
    row_lines: usize,
    lines: Vec<Bf16Line>,
}

impl Bf16Rows {
    /// No rows.
    pub fn new(order: Bf16Order) -> Self {
        Self {
            order,
            count: 0,
            row_lines: 0,
            lines: Vec::new(),
        }
    }

    /// Makes it `count` rows of `len` values, in the memory that it has where that suffices. They hold anything until they
    /// are set.
    pub fn reshape(&mut self, count: usize, len: usize) {
        (self.count, self.row_lines) = (count, len.div_ceil(BF16_LINE));
        // Rows are read by whole tiles, which may begin at the last.
        let lines = (count + ROWS_AT_ONCE) * self.row_lines;
        if self.lines.len() < lines {
            self.lines.resize(lines, Bf16Line::default());
        }
    }

    /// Rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The values of all rows.
    pub fn all(&self) -> Bf16Part<'_> {
        self.part(0, 0, self.count)
    }

    /// The lines of row `row`.
    ///
    /// Panics if there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [Bf16Line] {
        assert!(row < self.count, "the row is one of them");
        &mut self.lines[row * self.row_lines..][..self.row_lines]
    }

    /// The values of `count` rows from row `row` on, without the lines before line `line`.
    ///
    /// Panics if there are not so many rows or lines.
    pub fn part(&self, row: usize, line: usize, count: usize) -> Bf16Part<'_> {
        Bf16Part {
            order: self.order,
            lines: &self.lines[row * self.row_lines + line..],
            stride: self.row_lines,
            count,
        }
    }

    /// The places of the rows from row `row` on, without the lines before line `line`.
    ///
    /// Panics if there are not so many rows or lines.
    pub(crate) fn part_mut(&mut self, row: usize, line: usize) -> Bf16PartMut<'_> {
        Bf16PartMut {
            lines: &mut self.lines[row * self.row_lines + line..],
            stride: self.row_lines,
        }
    }
}

/// Rows to be written, `stride` lines apart.
pub(crate) struct Bf16PartMut<'a> {
    pub(crate) lines: &'a mut [Bf16Line],
    pub(crate) stride: usize,
}

/// Rows to be multiplied, `stride` lines apart.
#[derive(Clone, Copy, Debug)]
pub struct Bf16Part<'a> {
    order: Bf16Order,
    pub(crate) lines: &'a [Bf16Line],
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

impl<'a> Bf16Part<'a> {
    /// The first `len` lines of each row.
    fn rows(self, len: usize) -> impl Iterator<Item = &'a [Bf16Line]> {
        (0..self.count).map(move |row| &self.lines[row * self.stride..][..len])
    }
}

/// A matrix of bfloat16 whose columns lie in panels of [`PANEL`], with the f32 that each column's sums begin at.
///
/// A panel has a block for each [`BF16_LINE`] of its rows. A block has two tiles, each of sixteen columns and a line for
/// each pair of rows, in which the two values of a column are beside each other.
#[derive(Clone, Debug)]
pub struct Bf16Panels {
    order: Bf16Order,
    depth: usize,
    columns: usize,
    first: Vec<FloatLine>,
    lines: Vec<Bf16Line>,
}

impl Bf16Panels {
    /// Packs a matrix: rounds its values to the nearest, ties to even. None where there is no memory for it.
    pub fn of(matrix: &Panels, order: Bf16Order) -> Option<Self> {
        let mut panels = Self::new(order);
        (panels.depth, panels.columns) = (matrix.depth(), matrix.columns());
        let (indices, blocks) = (order.indices(), panels.blocks());
        let count = panels.columns.div_ceil(PANEL);
        let lines = count.checked_mul(blocks)?.checked_mul(BLOCK_LINES)?;
        panels.first.try_reserve_exact(count).ok()?;
        panels.lines.try_reserve_exact(lines).ok()?;
        for (source, columns) in matrix.iter() {
            let (first, rows) = source.split_at(1);
            panels.first.push(only(&first[0], columns));
            for block in rows.chunks(BF16_LINE) {
                let mut packed = [Bf16Line::default(); BLOCK_LINES];
                let row = |index: usize| block.get(index).map(|row| only(row, columns));
                for (pair, rows) in indices.chunks_exact(2).enumerate() {
                    let [low, high] = [rows[0], rows[1]]
                        .map(|index| row(index).unwrap_or(FloatLine([0.0; PANEL])));
                    for half in 0..2 {
                        let target = &mut packed[half * PAIRS + pair].0;
                        let (low, high) = (&low.0[half * PAIRS..], &high.0[half * PAIRS..]);
                        let (pairs, _) = target.as_chunks_mut::<2>();
                        for ((pair, &low), &high) in pairs.iter_mut().zip(low).zip(high) {
                            *pair = [rounded(low), rounded(high)];
                        }
                    }
                }
                panels.lines.extend_from_slice(&packed);
            }
        }
        Some(panels)
    }

    /// A matrix of no columns.
    pub fn new(order: Bf16Order) -> Self {
        Self {
            order,
            depth: 0,
            columns: 0,
            first: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Makes it a matrix of zeros of another shape, in the memory that it has where that suffices.
    pub fn reshape(&mut self, depth: usize, columns: usize) {
        self.resize(depth, columns);
        self.lines.fill(Bf16Line::default());
    }

    /// As [`reshape`](Self::reshape), but that rows hold anything until they are set.
    fn resize(&mut self, depth: usize, columns: usize) {
        (self.depth, self.columns) = (depth, columns);
        let panels = columns.div_ceil(PANEL);
        self.first.clear();
        self.first.resize(panels, FloatLine([0.0; PANEL]));
        let lines = panels * self.blocks() * BLOCK_LINES;
        self.lines.resize(lines, Bf16Line::default());
    }

    /// Makes the matrix that has the first `row_lines` lines of each row as a column.
    pub(crate) fn set_columns(&mut self, rows: Bf16Part<'_>, row_lines: usize) {
        debug_assert!(rows.order == self.order);
        self.resize(row_lines * BF16_LINE, rows.count);
        for (column, row) in rows.rows(row_lines).enumerate() {
            let first = column / PANEL * row_lines * BLOCK_LINES + column % PANEL / PAIRS * PAIRS;
            let place = column % PAIRS * 2;
            for (block, line) in row.iter().enumerate() {
                // The pairs of a line are those of a column, in the order of all lines.
                let (pairs, _) = line.0.as_chunks::<2>();
                let lines = &mut self.lines[first + block * BLOCK_LINES..][..PAIRS];
                for (line, pair) in lines.iter_mut().zip(pairs) {
                    line.0[place..place + 2].copy_from_slice(pair);
                }
            }
        }
    }

    /// Makes the matrix that has the first `row_lines` lines of each row as a row.
    pub(crate) fn set_rows(&mut self, rows: Bf16Part<'_>, row_lines: usize) {
        debug_assert!(rows.order == self.order);
        self.resize(rows.count, row_lines * BF16_LINE);
        let (indices, blocks) = (self.order.indices(), self.blocks());
        for block in 0..blocks {
            for (pair, tokens) in indices.chunks_exact(2).enumerate() {
                for panel in 0..row_lines {
                    let line = |index: usize| {
                        let row = block * BF16_LINE + index;
                        let is_there = row < rows.count;
                        is_there.then(|| {
                            self.order
                                .as_they_came(&rows.lines[row * rows.stride + panel])
                        })
                    };
                    let [low, high] =
                        [tokens[0], tokens[1]].map(|index| line(index).unwrap_or_default());
                    let first = (panel * blocks + block) * BLOCK_LINES + pair;
                    for half in 0..2 {
                        let target = &mut self.lines[first + half * PAIRS].0;
                        let (low, high) = (
                            &low.0[half * PAIRS..][..PAIRS],
                            &high.0[half * PAIRS..][..PAIRS],
                        );
                        for column in 0..PAIRS {
                            target[2 * column] = low[column];
                            target[2 * column + 1] = high[column];
                        }
                    }
                }
            }
        }
    }

    /// Blocks of a panel.
    pub(crate) fn blocks(&self) -> usize {
        self.depth.div_ceil(BF16_LINE)
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
        size_of_val(self.lines.as_slice()) + size_of_val(self.first.as_slice())
    }

    /// The panels: the values that sums begin at, the lines, and the number of columns that count.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[f32; PANEL], &[Bf16Line], usize)> {
        let lines = self.blocks() * BLOCK_LINES;
        self.first.iter().enumerate().map(move |(panel, first)| {
            let columns = (self.columns - panel * PANEL).min(PANEL);
            (&first.0, &self.lines[panel * lines..][..lines], columns)
        })
    }
}

/// The columns of a line that count; the others are zeros.
fn only(line: &FloatLine, columns: usize) -> FloatLine {
    let mut only = FloatLine([0.0; PANEL]);
    only.0[..columns].copy_from_slice(&line.0[..columns]);
    only
}

/// Rounds to the nearest bfloat16, ties to even, as processors do: what is too small for a normal number becomes zero.
#[inline(always)]
pub(crate) fn rounded(value: f32) -> u16 {
    let bits = value.to_bits();
    let nearest = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let magnitude = bits & 0x7fff_ffff;
    let bits = match magnitude {
        ..0x0080_0000 => bits >> 16 & 0x8000,
        0x7f80_0001.. => bits >> 16 | 0x40,
        _ => nearest,
    };
    bits as u16
}

/// Checks the shapes of a product in a table whose lines have an order.
///
/// Panics if they do not fit.
pub(crate) fn check(order: Bf16Order, rows: Bf16Part<'_>, panels: &Bf16Panels, out: &RowsMut<'_>) {
    check_factors(order, rows, panels);
    panels::check_rows(rows.count, panels.columns, out.stride, out.values.len());
}

/// Checks the shapes of a product that is rounded, as [`check`] does.
pub(crate) fn check_rounded(
    order: Bf16Order,
    rows: Bf16Part<'_>,
    panels: &Bf16Panels,
    out: &Bf16PartMut<'_>,
) {
    check_factors(order, rows, panels);
    let lines = panels.columns.div_ceil(BF16_LINE);
    panels::check_rows(rows.count, lines, out.stride, out.lines.len());
}

fn check_factors(order: Bf16Order, rows: Bf16Part<'_>, panels: &Bf16Panels) {
    assert!(
        rows.order == order && panels.order == order,
        "rows and matrix have the order of the table"
    );
    let read = rows.count.next_multiple_of(ROWS_AT_ONCE);
    panels::check_rows(read, panels.blocks(), rows.stride, rows.lines.len());
}
