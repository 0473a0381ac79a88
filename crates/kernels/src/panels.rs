//! Matrices for the product of rows with many columns: packed once, read by every product.

/// Columns of a panel: two vectors of sixteen, four of eight, eight of four.
pub const PANEL: usize = 32;

/// A matrix whose columns lie in panels of [`PANEL`], with the value that each column's sums begin at. A panel holds
/// these first values and then its part of each row; the columns past the last hold anything.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    depth: usize,
    columns: usize,
    lines: Vec<Line>,
}

/// Values of one row in one panel, which lie in cache lines of their own.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [f32; PANEL]);

/// Some columns of a matrix, as they lie in a file.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// `[depth, count]`, or `[count, depth]` where they are turned.
    pub values: &'a [f32],
    /// Columns.
    pub count: usize,
    /// Each column lies by itself.
    pub is_turned: bool,
    /// The values that their sums begin at; zeros where there are none.
    pub first: Option<&'a [f32]>,
}

/// Rows that are brought into panels at once: turned columns have so many values in a cache line.
const ROWS_AT_ONCE: usize = 16;

impl Columns<'_> {
    /// Copies `count` columns of some rows to lines, from column `to` on.
    #[inline]
    fn copy(
        &self,
        (from, to, count): (usize, usize, usize),
        (row, depth): (usize, usize),
        lines: &mut [Line],
    ) {
        if self.is_turned {
            for column in 0..count {
                let values = &self.values[(from + column) * depth + row..][..lines.len()];
                for (line, &value) in lines.iter_mut().zip(values) {
                    line.0[to + column] = value;
                }
            }
        } else {
            for (at, line) in lines.iter_mut().enumerate() {
                let values = &self.values[(row + at) * self.count + from..][..count];
                line.0[to..to + count].copy_from_slice(values);
            }
        }
    }
}

impl Panels {
    /// A matrix of `depth` rows of columns beside each other; none where there is no memory for it.
    ///
    /// Panics where some of them have another number of values.
    pub fn of(depth: usize, parts: &[Columns<'_>]) -> Option<Self> {
        for part in parts {
            assert_eq!(
                part.values.len(),
                depth * part.count,
                "a value for each row"
            );
            let first = part.first.map_or(part.count, <[f32]>::len);
            assert_eq!(first, part.count, "a value for each column");
        }
        let columns: usize = parts.iter().map(|part| part.count).sum();
        let mut lines = Vec::new();
        let len = columns.div_ceil(PANEL).checked_mul(Self::len(depth))?;
        lines.try_reserve_exact(len).ok()?;
        for start in (0..columns).step_by(PANEL) {
            let mut within = Vec::new();
            let mut before = 0;
            for part in parts {
                let from = start.max(before);
                let end = (start + PANEL).min(before + part.count);
                if from < end {
                    within.push((part, (from - before, from - start, end - from)));
                }
                before += part.count;
            }
            let mut line = Line([0.0; PANEL]);
            for (part, (from, to, count)) in &within {
                if let Some(first) = part.first {
                    line.0[*to..to + count].copy_from_slice(&first[*from..from + count]);
                }
            }
            lines.push(line);
            for row in (0..depth).step_by(ROWS_AT_ONCE) {
                let mut some = [Line([0.0; PANEL]); ROWS_AT_ONCE];
                let some = &mut some[..ROWS_AT_ONCE.min(depth - row)];
                for (part, place) in &within {
                    part.copy(*place, (row, depth), some);
                }
                lines.extend_from_slice(some);
            }
        }
        Some(Self {
            depth,
            columns,
            lines,
        })
    }

    /// A matrix of zeros of `depth` rows; none where there is no memory for it.
    pub fn new(depth: usize, columns: usize) -> Option<Self> {
        let mut panels = Self::default();
        let len = columns.div_ceil(PANEL).checked_mul(depth.checked_add(1)?)?;
        panels.lines.try_reserve_exact(len).ok()?;
        panels.reshape(depth, columns);
        Some(panels)
    }

    /// Makes it a matrix of another shape, in the memory that it has where that suffices. Its sums begin at zero; its rows
    /// hold anything until they are set.
    pub fn reshape(&mut self, depth: usize, columns: usize) {
        (self.depth, self.columns) = (depth, columns);
        let (panels, len) = (columns.div_ceil(PANEL), Self::len(depth));
        self.lines.resize(panels * len, Line([0.0; PANEL]));
        for panel in self.lines.chunks_exact_mut(len) {
            panel[0].0.fill(0.0);
        }
    }

    /// Lines of one panel.
    const fn len(depth: usize) -> usize {
        depth + 1
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
        size_of_val(self.lines.as_slice())
    }

    /// Sets the values that the sums of the columns from `first` on begin at.
    ///
    /// Panics where there are not so many columns.
    pub fn set_first(&mut self, first: usize, values: &[f32]) {
        self.write(0, first, values);
    }

    /// Sets a part of row `row`, from column `first` on.
    ///
    /// Panics where there is no such row, or there are not so many columns.
    pub fn set_row(&mut self, row: usize, first: usize, values: &[f32]) {
        assert!(row < self.depth, "the row is one of the matrix");
        self.write(row + 1, first, values);
    }

    /// Sets a column.
    ///
    /// Panics where there is no such column, or it does not have as many values as the matrix has rows.
    pub fn set_column(&mut self, column: usize, values: &[f32]) {
        assert!(column < self.columns, "the column is one of the matrix");
        assert_eq!(values.len(), self.depth, "a value for each row");
        let start = column / PANEL * Self::len(self.depth) + 1;
        for (line, &value) in self.lines[start..].iter_mut().zip(values) {
            line.0[column % PANEL] = value;
        }
    }

    /// The values of a column.
    ///
    /// Panics where there is no such column.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f32> {
        let lines = &self.panel(column)[1..];
        lines.iter().map(move |line| line.0[column % PANEL])
    }

    /// The value that the sums of a column begin at.
    ///
    /// Panics where there is no such column.
    pub fn first(&self, column: usize) -> f32 {
        self.panel(column)[0].0[column % PANEL]
    }

    fn panel(&self, column: usize) -> &[Line] {
        assert!(column < self.columns, "the column is one of the matrix");
        let len = Self::len(self.depth);
        &self.lines[column / PANEL * len..][..len]
    }

    fn write(&mut self, line: usize, first: usize, values: &[f32]) {
        assert!(
            first + values.len() <= self.columns,
            "the columns are those of the matrix"
        );
        let (mut column, mut rest) = (first, values);
        while !rest.is_empty() {
            let within = column % PANEL;
            let (now, later) = rest.split_at(rest.len().min(PANEL - within));
            let place = &mut self.lines[column / PANEL * Self::len(self.depth) + line];
            place.0[within..within + now.len()].copy_from_slice(now);
            column += now.len();
            rest = later;
        }
    }

    /// The panels, each with the number of its columns that count.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[Line], usize)> {
        let panels = self.lines.chunks_exact(Self::len(self.depth));
        let counts = (0..self.columns).step_by(PANEL);
        panels.zip(counts.map(|first| (self.columns - first).min(PANEL)))
    }
}

/// Rows of one length, each `stride` values after the one before.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The first row begins here.
    pub values: &'a [f32],
    /// Values from the begin of a row to that of the next.
    pub stride: usize,
    /// Rows.
    pub count: usize,
}

/// Rows to be written, each `stride` values after the one before.
#[derive(Debug)]
pub struct RowsMut<'a> {
    /// The first row begins here.
    pub values: &'a mut [f32],
    /// Values from the begin of a row to that of the next.
    pub stride: usize,
}

/// Checks that `count` rows of `len` values, `stride` apart, lie within `available` values and apart from each other.
///
/// Panics if not.
pub(crate) fn check_rows(count: usize, len: usize, stride: usize, available: usize) {
    let Some(last) = count.checked_sub(1) else {
        return;
    };
    assert!(stride >= len || last == 0, "rows lie apart");
    let end = last.checked_mul(stride).and_then(|at| at.checked_add(len));
    assert!(
        end.is_some_and(|end| end <= available),
        "all rows lie in their buffer"
    );
}

/// Checks the shapes of a product.
///
/// Panics if they do not fit.
pub(crate) fn check(rows: Rows<'_>, panels: &Panels, out: &RowsMut<'_>) {
    check_rows(rows.count, panels.depth, rows.stride, rows.values.len());
    check_rows(rows.count, panels.columns, out.stride, out.values.len());
}

/// Divides `count` rows into blocks of at most `most` that are about as large as each other: a block of few rows keeps
/// less of the processor busy.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) fn blocks(count: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let blocks = count.div_ceil(most).max(1);
    (0..blocks)
        .map(move |block| (block * count / blocks, (block + 1) * count / blocks))
        .map(|(start, end)| (start, end - start))
        .filter(|&(_, rows)| rows > 0)
}
