//! Reading a snapshot, section by section.

use std::io::Read;
use std::ops::Range;

use pelorus_kernels::Int8Codec;

use crate::HnswParams;
use crate::graph::Graph;
use crate::graph::duplicates::{DuplicateMap, Duplicates};
use crate::graph::links::Links;
use crate::quantize::codes::Codes;
use crate::quantize::quantizer::{Quantizer, Traversal};
use crate::storage::full_vectors::FullVectors;
use crate::storage::node_table::DEAD;
use crate::sync::Ordering;

use super::SnapshotError;
use super::format::Reader;
use super::header::Header;

/// The checksums of the full vectors.
pub(super) fn read_sums(
    header: &Header,
    from: &mut Reader<impl Read>,
) -> Result<Vec<u32>, SnapshotError> {
    let count = from.u64()? as usize;
    if count > header.nodes {
        return Err(SnapshotError::damaged("more checksums than vectors"));
    }
    (0..count).map(|_| from.u32()).collect()
}

/// What a snapshot holds beside the full vectors.
pub(super) struct Sections {
    owners: Vec<(u32, u32)>,
    quantizer: Option<Quantizer>,
    duplicates: Duplicates,
    links: Links,
    relink: Range<u32>,
    duplicate_map: DuplicateMap,
}

pub(super) fn read(
    params: &HnswParams,
    header: &Header,
    from: &mut Reader<impl Read>,
) -> Result<Sections, SnapshotError> {
    let owners = (0..header.nodes).map(|_| Ok((from.u32()?, from.u32()?)));
    let owners = owners.collect::<Result<_, SnapshotError>>()?;
    let quantizer = read_quantizer(params, header.nodes, from)?;
    let duplicates = Duplicates::new();
    for node in 0..header.linked as u32 {
        match from.u32()? {
            0 => {}
            // A representative is never above its duplicates.
            place if place <= node => duplicates.attach(place - 1, node),
            _ => return Err(SnapshotError::damaged("a duplicate of a later node")),
        }
    }
    let links = read_links(params, header.linked, from)?;
    let relink = from.u32()?..from.u32()?;
    let count = from.u64()?;
    let mut duplicate_map = DuplicateMap::default();
    for _ in 0..count {
        let (hash, node) = (from.u32()?, from.u32()?);
        if node as usize >= header.linked {
            return Err(SnapshotError::damaged("a place of no node"));
        }
        duplicate_map.set(hash, node);
    }
    if relink.end as usize > header.linked {
        return Err(SnapshotError::damaged(
            "nodes to be linked that are not there",
        ));
    }
    Ok(Sections {
        owners,
        quantizer,
        duplicates,
        links,
        relink,
        duplicate_map,
    })
}

fn read_quantizer(
    params: &HnswParams,
    nodes: usize,
    from: &mut Reader<impl Read>,
) -> Result<Option<Quantizer>, SnapshotError> {
    let traversal = match from.u32()? {
        0 => return Ok(None),
        1 => Traversal::Binary,
        2 => Traversal::Int8,
        3 => Traversal::Full,
        _ => return Err(SnapshotError::damaged("an order of no kind")),
    };
    let (trained_on, max_scale) = (from.u64()? as usize, f32::from_bits(from.u32()?));
    let mut codes = None;
    if traversal != Traversal::Full {
        let centre = (0..params.dim).map(|_| from.u32().map(f32::from_bits));
        let codec = Int8Codec::of_centre(centre.collect::<Result<_, _>>()?);
        let read = Codes::new(params.metric, codec);
        read.expect(nodes);
        for _ in 0..nodes {
            read.append_coded(|record, code| {
                from.words(record)?;
                from.codes(code)
            })?;
        }
        codes = Some(read);
    }
    Ok(Some(Quantizer::new(
        trained_on, codes, traversal, max_scale,
    )))
}

fn read_links(
    params: &HnswParams,
    linked: usize,
    from: &mut Reader<impl Read>,
) -> Result<Links, SnapshotError> {
    let links = Links::new(params.m, params.seed);
    links.expect(linked);
    let entry = from.u32()?.checked_sub(1);
    for node in 0..linked as u32 {
        match from.u32()? {
            0 => {}
            level if level as usize - 1 <= Links::LEVEL_MAX => {
                links.add_node_on(node, level as usize - 1);
            }
            _ => return Err(SnapshotError::damaged("a level that is too high")),
        }
    }
    let is_node = |&node: &u32| (node as usize) < linked && links.has(node);
    let mut row = Vec::new();
    for node in (0..linked as u32).filter(is_node) {
        for level in 0..=links.level_of(node) {
            row.clear();
            for _ in 0..links.capacity(level) {
                row.extend(from.u32()?.checked_sub(1));
            }
            if !row.iter().all(is_node) {
                return Err(SnapshotError::damaged("a link to no node"));
            }
            links.edit(node).replace(level, &row);
        }
    }
    match entry {
        Some(entry) if is_node(&entry) => _ = links.entry_or_first(entry),
        Some(_) => return Err(SnapshotError::damaged("an entry that is no node")),
        None => {}
    }
    Ok(links)
}

impl Sections {
    /// The graph of all this and the full vectors.
    pub fn onto(
        self,
        params: HnswParams,
        full: FullVectors,
        header: &Header,
    ) -> Result<Graph, SnapshotError> {
        let graph = Graph {
            links: self.links,
            duplicates: self.duplicates,
            ..Graph::over(params, full)
        };
        for (node, &(doc, chunk)) in (0..).zip(&self.owners) {
            let known = doc < header.watermark;
            graph.nodes.own(node, if known { doc } else { DEAD }, chunk);
        }
        graph.quantizer.store(self.quantizer.map(Into::into));
        graph.linked.store(header.linked, Ordering::Release);
        {
            let mut maintenance = graph.maintenance.write();
            maintenance.resume(header.linked, self.duplicate_map);
            maintenance.tail_mut().relink = self.relink;
        }
        Ok(graph)
    }
}
