//! The sizes in which a search is done, for so much memory.

use std::ops::Range;

use super::LISTS;

/// Rows of a tile at most, and fewer where they have many components.
const ROWS_MAX: usize = 65_536;
/// Bytes of rows that are uploaded at once, at most.
const TILE_BYTES_MAX: usize = 64 << 20;
/// Rows of the smallest tile: those of a block.
const ROWS_MIN: usize = 128;
/// Queries that are compared with a tile at once, at most.
const QUERIES_MAX: usize = 1024;

/// All that the sizes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// Components of a vector.
    pub(super) dim: usize,
    /// Rows that count.
    pub(super) rows: usize,
    pub(super) queries: usize,
    /// Neighbors of a query that are looked for.
    pub(super) k: usize,
    /// The rows lie on the device.
    pub(super) is_resident: bool,
    /// The rows that count are listed.
    pub(super) is_listed: bool,
}

/// Sizes of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) task: Task,
    /// Rows of a tile.
    pub(super) rows: usize,
    /// Queries that are compared with it at once.
    pub(super) queries: usize,
}

/// Bytes of each buffer on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) queries: usize,
    /// Rows of a tile, of which there are two; none where they lie on the device.
    pub(super) rows: usize,
    /// Their numbers, as often; none where they follow each other.
    pub(super) list: usize,
    pub(super) scores: usize,
    pub(super) lists: usize,
    pub(super) found: usize,
}

impl Sizes {
    fn sum(self) -> usize {
        let Self {
            queries,
            rows,
            list,
            scores,
            lists,
            found,
        } = self;
        queries + 2 * (rows + list) + scores + lists + found
    }
}

impl Plan {
    /// The largest tiles within so many bytes; the bytes of the smallest where those do not do.
    pub(super) fn new(task: Task, bytes_max: usize) -> Result<Self, usize> {
        let rows = TILE_BYTES_MAX / (task.dim * size_of::<f32>());
        let mut plan = Self {
            task,
            rows: rows.clamp(ROWS_MIN, ROWS_MAX).min(task.rows),
            queries: task.queries.min(QUERIES_MAX),
        };
        while plan.sizes().sum() > bytes_max {
            if !plan.halve() {
                return Err(plan.sizes().sum());
            }
        }
        Ok(plan)
    }

    /// Makes tiles smaller, and then the groups of queries, for which all rows are gone through once each. False where both are
    /// as small as they get.
    pub(super) fn halve(&mut self) -> bool {
        if self.rows > ROWS_MIN {
            self.rows = (self.rows / 2).max(ROWS_MIN);
        } else if self.queries > 1 {
            self.queries /= 2;
        } else {
            return false;
        }
        true
    }

    pub(super) fn sizes(&self) -> Sizes {
        let Self {
            task,
            rows,
            queries,
        } = *self;
        let keys = queries * task.k * size_of::<u64>();
        Sizes {
            queries: queries * task.dim * size_of::<f32>(),
            rows: if task.is_resident {
                0
            } else {
                rows * task.dim * size_of::<f32>()
            },
            list: if task.is_listed {
                rows * size_of::<u32>()
            } else {
                0
            },
            scores: queries * rows * size_of::<f32>(),
            lists: LISTS * keys,
            found: keys,
        }
    }

    /// The tiles: parts of the rows that count.
    pub(super) fn tiles(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self { task, rows, .. } = *self;
        let starts = (0..task.rows).step_by(rows.max(1));
        starts.map(move |start| start..(start + rows).min(task.rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: Task = Task {
        dim: 384,
        rows: 1_000_000,
        queries: 3000,
        k: 100,
        is_resident: false,
        is_listed: true,
    };

    #[test]
    fn sizes_stay_within_the_memory_until_they_are_the_smallest() {
        let mut before = usize::MAX;
        for shift in (0..34).rev() {
            let bytes_max = 1 << shift;
            match Plan::new(TASK, bytes_max) {
                Ok(plan) => {
                    assert!(plan.sizes().sum() <= bytes_max && bytes_max < before);
                    let tiles: Vec<_> = plan.tiles().collect();
                    assert_eq!((tiles[0].start, tiles[tiles.len() - 1].end), (0, TASK.rows));
                    assert!(tiles.windows(2).all(|pair| pair[0].end == pair[1].start));
                }
                Err(least) => assert!(least > bytes_max && least < 1 << 20),
            }
            before = bytes_max;
        }
    }

    #[test]
    fn small_searches_take_what_they_need() {
        let task = Task {
            rows: 7,
            queries: 2,
            k: 3,
            is_listed: false,
            ..TASK
        };
        let plan = Plan::new(task, usize::MAX).expect("room");
        assert_eq!((plan.rows, plan.queries), (7, 2));
        assert_eq!(plan.sizes().list, 0);
        assert!(plan.tiles().eq(std::iter::once(0..7)));
    }
}
