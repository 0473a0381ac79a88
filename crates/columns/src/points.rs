use std::collections::BTreeMap;

use pelorus_geo::{Area, Bounds, GeoPoint};

use crate::marks::{BLOCK, Marks};
use crate::sparse::Sparse;

/// Blocks between which a scan asks whether it goes on: corners of a polygon cost more than comparisons.
const BLOCKS_PER_STEP: usize = 16;

/// The geo points of documents, and bounds of those of each block: a scan passes over blocks that lie elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Points {
    points: Sparse<GeoPoint>,
    /// By the number of the block. They hold all its points, and may hold those that are gone.
    bounds: BTreeMap<u32, Bounds>,
}

impl Points {
    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    pub(crate) fn get(&self, doc: u32) -> Option<GeoPoint> {
        self.points.get(doc).copied()
    }

    /// Sets the point of `doc`, in place of the one that it has.
    pub(crate) fn insert(&mut self, doc: u32, point: GeoPoint) {
        self.points.insert(doc, point);
        let bounds = self.bounds.entry(doc / BLOCK);
        bounds
            .and_modify(|bounds| bounds.widen(point))
            .or_insert(Bounds::of(point));
    }

    pub(crate) fn remove(&mut self, doc: u32) {
        if self.points.remove(doc).is_some() && !self.points.has_block(doc) {
            self.bounds.remove(&(doc / BLOCK));
        }
    }

    /// Marks each document with a point, as far as the marks reach.
    pub(crate) fn mark_all(&self, marks: &mut Marks) {
        self.points.scan(marks, |_| true);
    }

    /// Marks each document with a point within an area, as far as the marks reach. `go_on` is asked now and then; its
    /// error ends the scan.
    pub(crate) fn mark_within<E>(
        &self,
        area: &Area,
        marks: &mut Marks,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let bounds = area.bounds();
        let mut looked_at = 0;
        let wants = |number: u32| {
            let of_block = self.bounds.get(&number);
            let is_wanted = of_block.is_none_or(|of_block| bounds.meets(of_block));
            looked_at += usize::from(is_wanted);
            if is_wanted && looked_at % BLOCKS_PER_STEP == 0 {
                go_on()?;
            }
            Ok(is_wanted)
        };
        let is_box = matches!(area, Area::Box(_));
        self.points.scan_some(
            marks,
            wants,
            |point| bounds.contains(*point),
            |point| is_box || area.contains(*point),
        )
    }

    /// The points themselves, for reading many of them.
    pub(crate) fn values(&self) -> &Sparse<GeoPoint> {
        &self.points
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let of_bounds = size_of::<(u32, Bounds)>();
        self.points.memory_bytes() + self.bounds.len() * of_bounds
    }
}
