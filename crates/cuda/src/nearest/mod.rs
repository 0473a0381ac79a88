//! The exact search for the nearest on a device: every row that counts is compared with every query.
//!
//! Rows go by in tiles. Each tile is scored, the best of it are put beside those of the tiles before it, and these are merged
//! when there are [`LISTS`] of them. Where all rows have room on the device they are uploaded once; else tiles are uploaded
//! as they come, from two sets of pinned buffers, one of which is filled while the device works on the other. The answer has
//! the same bits whatever the tiles are.

mod plan;

use std::path::Path;
use std::sync::Arc;

use crate::device::{Argument, Device, Event, Memory, Module, Pinned, Stream, write_words};
use crate::launch::{self, Nearness};
use crate::system::driver::Address;
use crate::{DeviceError, Program, decode_key};
use plan::{Plan, Task};

/// Lists of the best of tiles that lie beside each other.
const LISTS: usize = 4;

/// Bytes that are uploaded at a time when all rows are.
const STAGING_BYTES: usize = 32 << 20;

/// A row with its nearness to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The row.
    pub row: u32,
    /// Its nearness; the larger the nearer.
    pub score: f32,
}

/// The vectors in which the nearest are looked for, and the way of one thread to their device.
pub struct NearestSearch<'v> {
    vectors: &'v [f32],
    dim: usize,
    nearness: Nearness,
    /// Bytes of the device that it takes at most.
    bytes_max: usize,
    /// All vectors, where they have room.
    resident: Option<Memory>,
    buffers: Option<Buffers>,
    module: Module,
    device: Arc<Device>,
    // Last, so that it ends when nothing uses it any more.
    stream: Stream,
}

/// Buffers of a search.
struct Buffers {
    plan: Plan,
    queries: (Pinned, Memory),
    slots: [Slot; 2],
    scores: Memory,
    lists: Memory,
    found: (Pinned, Memory),
}

/// The part of a tile that is uploaded.
struct Slot {
    rows: (Pinned, Memory),
    list: (Pinned, Memory),
    /// Passed when the tile is done with.
    done: Event,
    is_under_way: bool,
}

/// The place of the rows of a tile, and their numbers.
struct Tile {
    count: u32,
    vectors: Address,
    /// The list of its rows among the vectors that lie there; 0 where they are those from the first on.
    rows: Address,
    first: u32,
    /// The same among all vectors.
    numbers: Address,
    first_number: u32,
}

impl<'v> NearestSearch<'v> {
    /// Makes ready the search in `vectors [rows, dim]`, with at most so many bytes of the device; compiled kernels are kept in
    /// `folder`. The vectors are uploaded at once where they take no more than three quarters of that.
    ///
    /// Panics where there are no components, no whole rows, or 2^32 - 1 rows or more.
    ///
    /// # Errors
    /// [`DeviceError`] when the device is lost, or the kernels cannot be had.
    pub fn new(
        device: &Arc<Device>,
        vectors: &'v [f32],
        dim: usize,
        nearness: Nearness,
        bytes_max: usize,
        folder: Option<&Path>,
    ) -> Result<Self, DeviceError> {
        assert!(
            dim > 0 && vectors.len().is_multiple_of(dim),
            "vectors have whole rows"
        );
        assert!(
            vectors.len() / dim < u32::MAX as usize,
            "rows have numbers of 32 bits"
        );
        let mut search = Self {
            vectors,
            dim,
            nearness,
            bytes_max,
            resident: None,
            buffers: None,
            module: Module::load(device, Program::Nearest, folder)?,
            device: Arc::clone(device),
            stream: Stream::new(device)?,
        };
        if size_of_val(vectors) <= bytes_max / 4 * 3 {
            search.resident = match search.uploaded() {
                Err(DeviceError::OutOfMemory { .. }) => None,
                outcome => Some(outcome?),
            };
        }
        Ok(search)
    }

    /// Tells whether all vectors lie on the device.
    pub fn is_resident(&self) -> bool {
        self.resident.is_some()
    }

    /// The nearest of all vectors, or of those whose rows are in `among`, to each of some queries `[queries, dim]`:
    /// `[queries, min(k, rows)]`, the nearest first, of equal ones the first row. A nearness that is no number comes last.
    ///
    /// Panics where the queries have no whole rows, or `among` is not ascending, names a row twice or one that is not there.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] where the device, or what it may take of it, has no room even for a small tile;
    /// [`DeviceError::Size`] unless `k` is 1 to [`NEAREST_MAX`](launch::NEAREST_MAX); others when the device refuses or is
    /// lost. The search may be used again, unless the device is lost.
    pub fn nearest(
        &mut self,
        queries: &[f32],
        k: usize,
        among: Option<&[u32]>,
    ) -> Result<Vec<Neighbor>, DeviceError> {
        let dim = self.dim;
        assert!(
            queries.len().is_multiple_of(dim),
            "queries have whole vectors"
        );
        let all = self.vectors.len() / dim;
        if let Some(among) = among {
            assert!(
                among.is_sorted_by(|a, b| a < b),
                "rows ascend, each of them once"
            );
            let is_row = among.last().is_none_or(|&last| (last as usize) < all);
            assert!(is_row, "rows are those of the vectors");
        }
        // Refuses what the kernels do not find.
        launch::best(1, u32::try_from(k).unwrap_or(u32::MAX))?;
        let rows = among.map_or(all, <[u32]>::len);
        let count = queries.len() / dim;
        if rows == 0 || count == 0 {
            return Ok(Vec::new());
        }
        self.device.enter()?;
        loop {
            let task = Task {
                dim,
                rows,
                queries: count,
                k,
                is_resident: self.is_resident(),
                is_listed: among.is_some(),
            };
            match self.searched(task, queries, among) {
                // All rows took the room that a tile needs.
                Err(DeviceError::OutOfMemory { .. }) if self.resident.take().is_some() => {}
                outcome => return outcome,
            }
        }
    }

    /// Does a search in the largest tiles that there is room for.
    fn searched(
        &mut self,
        task: Task,
        queries: &[f32],
        among: Option<&[u32]>,
    ) -> Result<Vec<Neighbor>, DeviceError> {
        let taken = self.resident.as_ref().map_or(0, Memory::bytes);
        let plan = Plan::new(task, self.bytes_max.saturating_sub(taken));
        let plan = plan.map_err(|bytes| DeviceError::OutOfMemory {
            bytes: bytes as u64,
        })?;
        // Those of a search like the last one are there yet.
        let kept = self.buffers.take().filter(|buffers| buffers.plan == plan);
        let mut buffers = kept.map_or_else(|| Buffers::largest(&self.device, plan), Ok)?;
        let mut found = Vec::with_capacity(task.queries * task.k.min(task.rows));
        for group in queries.chunks(buffers.plan.queries * task.dim) {
            if let Err(error) = self.group(&mut buffers, group, among, &mut found) {
                // The buffers may go only when nothing is under way.
                let _ = self.stream.synchronize();
                return Err(error);
            }
        }
        self.buffers = Some(buffers);
        Ok(found)
    }

    /// The nearest to some queries.
    fn group(
        &self,
        buffers: &mut Buffers,
        queries: &[f32],
        among: Option<&[u32]>,
        found: &mut Vec<Neighbor>,
    ) -> Result<(), DeviceError> {
        let plan = buffers.plan;
        let Task { dim, rows, k, .. } = plan.task;
        let count = queries.len() / dim;
        let stream = &self.stream;
        let (staged, given) = &mut buffers.queries;
        write_words(
            staged.content_mut(),
            queries.iter().map(|value| value.to_ne_bytes()),
        );
        given.upload(staged, size_of_val(queries), stream)?;
        let scored = Scored {
            search: self,
            queries: given.address(),
            count: count as u32,
            scores: buffers.scores.address(),
            lists: buffers.lists.address(),
            k: k as u32,
        };
        let mut lists = 0;
        for (number, part) in plan.tiles().enumerate() {
            let slot = &mut buffers.slots[number % 2];
            if std::mem::take(&mut slot.is_under_way) {
                slot.done.wait()?;
            }
            let tile = self.tile(slot, part, among)?;
            // SAFETY: the queries are so many, and the buffers are those of a plan for as many queries and rows of a tile; all
            // of it lives until the stream is done, which is waited for below.
            unsafe {
                scored.score(&tile)?;
                scored.choose(&tile, lists)?;
                lists += 1;
                if lists == LISTS {
                    scored.merge(scored.lists, LISTS * k)?;
                    lists = 1;
                }
            }
            slot.done.record(stream)?;
            slot.is_under_way = true;
        }
        let (taken, made) = &mut buffers.found;
        // SAFETY: as above.
        unsafe {
            for list in lists..LISTS {
                scored.choose(&Tile::EMPTY, list)?;
            }
            scored.merge(made.address(), k)?;
        }
        let bytes = count * k * size_of::<u64>();
        made.download(taken, bytes, stream)?;
        stream.synchronize()?;
        let keys = taken.content()[..bytes].as_chunks::<8>().0;
        for keys in keys.chunks_exact(k) {
            let keys = keys.iter().take(k.min(rows));
            let neighbors = keys.filter_map(|key| decode_key(u64::from_ne_bytes(*key)));
            found.extend(neighbors.map(|(score, row)| Neighbor { row, score }));
        }
        Ok(())
    }

    /// Brings a tile to the device, as far as it is not there: a part of the rows, or of the list of those that count.
    fn tile(
        &self,
        slot: &mut Slot,
        part: std::ops::Range<usize>,
        among: Option<&[u32]>,
    ) -> Result<Tile, DeviceError> {
        let (start, count) = (part.start as u32, part.len() as u32);
        let listed = among.map(|among| &among[part.clone()]);
        let numbers = match listed {
            Some(listed) => {
                let (staged, given) = &mut slot.list;
                write_words(
                    staged.content_mut(),
                    listed.iter().map(|row| row.to_ne_bytes()),
                );
                given.upload(staged, size_of_val(listed), &self.stream)?;
                given.address()
            }
            None => 0,
        };
        let first_number = if listed.is_some() { 0 } else { start };
        if let Some(resident) = &self.resident {
            return Ok(Tile {
                count,
                vectors: resident.address(),
                rows: numbers,
                first: first_number,
                numbers,
                first_number,
            });
        }
        let (staged, given) = &mut slot.rows;
        let words = |values: &'v [f32]| values.iter().map(|value| value.to_ne_bytes());
        match listed {
            Some(listed) => {
                let rows = listed
                    .iter()
                    .map(|&row| &self.vectors[row as usize * self.dim..][..self.dim]);
                let places = staged.content_mut().chunks_exact_mut(self.dim * 4);
                for (place, row) in places.zip(rows) {
                    write_words(place, words(row));
                }
            }
            None => {
                let rows = &self.vectors[part.start * self.dim..part.end * self.dim];
                write_words(staged.content_mut(), words(rows));
            }
        }
        given.upload(staged, part.len() * self.dim * 4, &self.stream)?;
        Ok(Tile {
            count,
            vectors: given.address(),
            rows: 0,
            first: 0,
            numbers,
            first_number,
        })
    }

    /// All vectors on the device.
    fn uploaded(&self) -> Result<Memory, DeviceError> {
        let memory = Memory::new(&self.device, size_of_val(self.vectors))?;
        let piece = (STAGING_BYTES / 4).min(self.vectors.len().max(1));
        let mut pinned = Pinned::new(&self.device, piece * 4)?;
        let outcome = self
            .vectors
            .chunks(piece)
            .zip((0..).step_by(piece))
            .try_for_each(|(values, first)| {
                // The piece before has left the buffer.
                self.stream.synchronize()?;
                write_words(
                    pinned.content_mut(),
                    values.iter().map(|value| value.to_ne_bytes()),
                );
                let to = memory.address() + (first * 4) as Address;
                // SAFETY: the memory has room for all values, and lives until the stream is done.
                unsafe { Memory::upload_to(to, &pinned, size_of_val(values), &self.stream) }
            });
        let ended = self.stream.synchronize();
        outcome.and(ended).map(|()| memory)
    }
}

impl Tile {
    /// Nothing: the best of it are none.
    const EMPTY: Self = Self {
        count: 0,
        vectors: 0,
        rows: 0,
        first: 0,
        numbers: 0,
        first_number: 0,
    };
}

impl Buffers {
    /// Those of a plan, or of the largest smaller one that there is memory for.
    fn largest(device: &Arc<Device>, mut plan: Plan) -> Result<Self, DeviceError> {
        loop {
            match Self::new(device, plan) {
                Err(DeviceError::OutOfMemory { .. }) if plan.halve() => {}
                outcome => return outcome,
            }
        }
    }

    fn new(device: &Arc<Device>, plan: Plan) -> Result<Self, DeviceError> {
        let sizes = plan.sizes();
        let pair = |bytes| -> Result<_, DeviceError> {
            Ok((Pinned::new(device, bytes)?, Memory::new(device, bytes)?))
        };
        let slot = || -> Result<_, DeviceError> {
            Ok(Slot {
                rows: pair(sizes.rows)?,
                list: pair(sizes.list)?,
                done: Event::new(device)?,
                is_under_way: false,
            })
        };
        Ok(Self {
            plan,
            queries: pair(sizes.queries)?,
            slots: [slot()?, slot()?],
            scores: Memory::new(device, sizes.scores)?,
            lists: Memory::new(device, sizes.lists)?,
            found: pair(sizes.found)?,
        })
    }
}

/// Queries on their way through the tiles.
struct Scored<'s> {
    search: &'s NearestSearch<'s>,
    queries: Address,
    count: u32,
    scores: Address,
    lists: Address,
    k: u32,
}

impl Scored<'_> {
    /// The nearness of each query to each row of a tile.
    ///
    /// # Safety
    /// As of `group`: all memory is as large as the queries and the tile need, here and below.
    unsafe fn score(&self, tile: &Tile) -> Result<(), DeviceError> {
        let NearestSearch {
            module,
            stream,
            dim,
            nearness,
            ..
        } = self.search;
        let arguments = [
            Argument::Address(self.queries),
            Argument::U32(self.count),
            Argument::Address(tile.vectors),
            Argument::Address(tile.rows),
            Argument::U32(tile.first),
            Argument::U32(tile.count),
            Argument::U32(*dim as u32),
            Argument::U32(*nearness as u32),
            Argument::Address(self.scores),
        ];
        let launch = launch::nearness(self.count, tile.count)?;
        // SAFETY: the parameters of this kernel, in their order.
        unsafe { module.launch(stream, launch, &arguments) }
    }

    /// The best of the scores of a tile, as one of the lists.
    ///
    /// # Safety
    /// As of `score`.
    unsafe fn choose(&self, tile: &Tile, list: usize) -> Result<(), DeviceError> {
        let arguments = [
            Argument::Address(self.scores),
            Argument::Address(tile.numbers),
            Argument::U32(tile.first_number),
            Argument::U32(tile.count),
            Argument::U32(self.k),
            Argument::Address(self.lists),
            Argument::U32(LISTS as u32 * self.k),
            Argument::U32(list as u32 * self.k),
        ];
        let launch = launch::best(self.count, self.k)?;
        let NearestSearch { module, stream, .. } = self.search;
        // SAFETY: the parameters of this kernel, in their order.
        unsafe { module.launch(stream, launch, &arguments) }
    }

    /// The best of all lists, at the begin of each row of `out`; the lists themselves may be that.
    ///
    /// # Safety
    /// As of `score`.
    unsafe fn merge(&self, out: Address, stride: usize) -> Result<(), DeviceError> {
        let arguments = [
            Argument::Address(self.lists),
            Argument::U32(LISTS as u32 * self.k),
            Argument::U32(self.k),
            Argument::Address(out),
            Argument::U32(stride as u32),
        ];
        let launch = launch::merge(self.count, self.k)?;
        let NearestSearch { module, stream, .. } = self.search;
        // SAFETY: the parameters of this kernel, in their order.
        unsafe { module.launch(stream, launch, &arguments) }
    }
}
