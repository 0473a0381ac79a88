//! The sections of a snapshot, as they are written and read.
//!
//! Header, checksums of the full vectors, owners of the nodes, quantizer, representatives of duplicates,
//! links, nodes to be linked again, duplicate map. Codes are not among them: they are several times the
//! rest, and are made again of the full vectors while these are read for their checksums, on all cores.
//! Numbers of which there is one for each node or link are varints.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use pelorus_kernels::Int8Codec;

use crate::graph::Graph;
use crate::graph::duplicates::{DuplicateMap, Duplicates};
use crate::graph::links::Links;
use crate::graph::maintenance::Maintenance;
use crate::graph::tail::RelinkQueue;
use crate::quantize::codes::{Codes, EncodeScratch};
use crate::quantize::quantizer::{Quantizer, Traversal};
use crate::storage::code_memory::CodeMemory;
use crate::storage::full_vectors::FullVectors;
use crate::storage::node_table::DEAD;
use crate::sync::Ordering;
use crate::{HnswParams, Metric, NumericType};

use super::SnapshotError;
use super::format::{Reader, Writer};

/// The first bytes, before the one that is the version of the format.
const MAGIC: [u8; 7] = *b"PELGRPH";
const VERSION: u8 = 5;
/// The version before, which is read, too: nodes to be linked again are a range there.
const VERSION_WITH_RANGE: u8 = 4;
/// Nodes that an index may have.
const NODES_MAX: usize = 1 << 28;

/// Counts and numbers.
pub(super) struct Header {
    pub nodes: usize,
    pub linked: usize,
    /// The number of the file of full vectors.
    pub file: usize,
    pub watermark: u32,
    version: u8,
}

impl Header {
    pub fn of(graph: &Graph, file: usize, watermark: u32) -> Self {
        let quantizer = graph.quantizer.load();
        let codes = quantizer.as_deref().and_then(|g| g.codes.as_deref());
        let nodes = codes.map_or(graph.nodes.len(), Codes::len);
        Self {
            nodes,
            linked: graph.linked().min(nodes),
            file,
            watermark,
            version: VERSION,
        }
    }

    pub fn write(&self, params: &HnswParams, out: &mut Writer<impl Write>) -> io::Result<()> {
        out.bytes(&MAGIC)?;
        out.bytes(&[VERSION])?;
        out.u64(params.dim as u64)?;
        out.bytes(&[metric_code(params.metric), numeric_code(params.numeric)])?;
        out.u64(params.m as u64)?;
        out.u64(params.ef_construction as u64)?;
        out.u64(params.seed)?;
        for part in [self.nodes, self.linked, self.file] {
            out.u64(part as u64)?;
        }
        out.u32(self.watermark)
    }

    pub fn read(params: &HnswParams, from: &mut Reader<impl Read>) -> Result<Self, SnapshotError> {
        let mut magic = [0; MAGIC.len()];
        from.bytes(&mut magic)?;
        if magic != MAGIC {
            return Err(SnapshotError::Damaged("it does not begin as one"));
        }
        let version = from.u8()?;
        if version != VERSION && version != VERSION_WITH_RANGE {
            return Err(SnapshotError::Version {
                expected: VERSION,
                received: version,
            });
        }
        same("dim", params.dim as u64, from.u64()?)?;
        same("metric", metric_code(params.metric), from.u8()?)?;
        same("numeric", numeric_code(params.numeric), from.u8()?)?;
        same("m", params.m as u64, from.u64()?)?;
        let ef_construction = params.ef_construction as u64;
        same("ef_construction", ef_construction, from.u64()?)?;
        same("seed", params.seed, from.u64()?)?;
        let mut part = || from.u64().map(|part| part as usize);
        let (nodes, linked, file) = (part()?, part()?, part()?);
        let watermark = from.u32()?;
        if linked > nodes || nodes > NODES_MAX {
            return Err(SnapshotError::Damaged("its counts contradict each other"));
        }
        Ok(Self {
            nodes,
            linked,
            file,
            watermark,
            version,
        })
    }
}

/// Compares a parameter of the index with that of the snapshot.
fn same(
    name: &'static str,
    expected: impl Into<u64>,
    received: impl Into<u64>,
) -> Result<(), SnapshotError> {
    let (expected, received) = (expected.into(), received.into());
    match expected == received {
        true => Ok(()),
        false => Err(SnapshotError::Parameter {
            name,
            expected,
            received,
        }),
    }
}

/// A metric as it is written. Codes are never given to another.
fn metric_code(metric: Metric) -> u8 {
    match metric {
        Metric::PrenormalizedAngular => 0,
        Metric::Angular => 1,
        Metric::Euclidean => 2,
        Metric::DotProduct => 3,
        Metric::Geodegrees => 4,
        Metric::Hamming => 5,
        Metric::L1 => 6,
        Metric::Linf => 7,
    }
}

/// A numeric type as it is written.
fn numeric_code(numeric: NumericType) -> u8 {
    match numeric {
        NumericType::Float => 0,
        NumericType::Bfloat16 => 1,
        NumericType::Int8 => 2,
    }
}

/// Writes everything but the full vectors.
pub(super) fn write(
    graph: &Graph,
    maintenance: &mut Maintenance,
    header: &Header,
    out: &mut Writer<impl Write>,
) -> io::Result<()> {
    header.write(&graph.params, out)?;
    let sums = graph.nodes.full().checksums(header.nodes);
    out.u64(sums.len() as u64)?;
    sums.into_iter().try_for_each(|sum| out.u32(sum))?;
    let mut last = 0;
    for node in 0..header.nodes as u32 {
        let doc = graph.nodes.doc(node);
        // Mostly the next document, or none: few bytes either way.
        out.varint(doc.wrapping_sub(last))?;
        out.varint(graph.nodes.chunk(node))?;
        last = doc;
    }
    match graph.quantizer.load().as_deref() {
        None => out.u32(0)?,
        Some(quantizer) => write_quantizer(quantizer, out)?,
    }
    for node in 0..header.linked as u32 {
        let representative = graph.duplicates.representative(node);
        out.varint(representative.map_or(0, |node| node + 1))?;
    }
    write_links(&graph.links, header.linked, out)?;
    let tail = maintenance.tail_mut();
    write_relink(&tail.relink, header.linked, out)?;
    let mut duplicate_map: Vec<(u32, u32)> = tail.duplicate_map().iter().collect();
    duplicate_map.sort_unstable_by_key(|&(_, node)| node);
    out.u64(duplicate_map.len() as u64)?;
    let mut last = 0;
    for (hash, node) in duplicate_map {
        out.u32(hash)?;
        out.varint(node - last)?;
        last = node;
    }
    Ok(())
}

fn write_quantizer(quantizer: &Quantizer, out: &mut Writer<impl Write>) -> io::Result<()> {
    out.u32(match quantizer.traversal {
        Traversal::Binary => 1,
        Traversal::Int8 => 2,
        Traversal::Full => 3,
    })?;
    out.u64(quantizer.trained_on as u64)?;
    out.u32(quantizer.max_scale.to_bits())?;
    let Some(codes) = &quantizer.codes else {
        return Ok(());
    };
    let mut centre = codes.codec().centre().iter();
    centre.try_for_each(|x| out.u32(x.to_bits()))
}

fn write_links(links: &Links, linked: usize, out: &mut Writer<impl Write>) -> io::Result<()> {
    out.u32(links.entry().map_or(0, |entry| entry + 1))?;
    let nodes = || (0..linked as u32).filter(|&node| links.has(node));
    for node in 0..linked as u32 {
        let level = links.has(node).then(|| links.level_of(node) as u32 + 1);
        out.varint(level.unwrap_or(0))?;
    }
    let mut row = Vec::new();
    for node in nodes() {
        for level in 0..=links.level_of(node) {
            row.clear();
            row.extend(links.neighbors(node, level));
            out.varint(row.len() as u32)?;
            row.iter().try_for_each(|&near| out.varint(near))?;
        }
    }
    Ok(())
}

/// The checksums of the full vectors.
pub(super) fn read_sums(
    header: &Header,
    from: &mut Reader<impl Read>,
) -> Result<Vec<u32>, SnapshotError> {
    let count = from.u64()? as usize;
    if count > header.nodes {
        return Err(SnapshotError::Damaged("more checksums than vectors"));
    }
    (0..count).map(|_| from.u32()).collect()
}

/// The first contents of a snapshot beside the full vectors: all that is needed to encode these.
pub(super) struct FirstSections {
    owners: Vec<(u32, u32)>,
    quantizer: Option<Quantizer>,
}

/// The other contents.
pub(super) struct GraphSections {
    duplicates: Duplicates,
    links: Links,
    relink: RelinkQueue,
    duplicate_map: DuplicateMap,
}

/// The contents of a snapshot beside the full vectors.
pub(super) struct Sections {
    pub first: FirstSections,
    pub graph: GraphSections,
}

pub(super) fn read_first(
    params: &HnswParams,
    folder: &Path,
    header: &Header,
    from: &mut Reader<impl Read>,
) -> Result<FirstSections, SnapshotError> {
    let mut last = 0u32;
    let owners = (0..header.nodes).map(|_| {
        last = last.wrapping_add(from.varint()?);
        Ok((last, from.varint()?))
    });
    let owners = owners.collect::<Result<_, SnapshotError>>()?;
    let quantizer = read_quantizer(params, folder, from)?;
    if let Some(quantizer) = &quantizer {
        quantizer.expect(header.nodes);
    }
    Ok(FirstSections { owners, quantizer })
}

pub(super) fn read_graph(
    params: &HnswParams,
    header: &Header,
    from: &mut Reader<impl Read>,
) -> Result<GraphSections, SnapshotError> {
    let duplicates = Duplicates::new();
    for node in 0..header.linked as u32 {
        match from.varint()? {
            0 => {}
            // A representative is never above its duplicates.
            place if place <= node => duplicates.attach(place - 1, node),
            _ => return Err(SnapshotError::Damaged("a duplicate of a later node")),
        }
    }
    let links = read_links(params, header.linked, from)?;
    let relink = read_relink(header, from)?;
    let count = from.u64()?;
    let (mut duplicate_map, mut node) = (DuplicateMap::default(), 0u32);
    for _ in 0..count {
        let hash = from.u32()?;
        node = node.wrapping_add(from.varint()?);
        if node as usize >= header.linked {
            return Err(SnapshotError::Damaged("a vector's hash of no node"));
        }
        duplicate_map.set(hash, node);
    }
    Ok(GraphSections {
        duplicates,
        links,
        relink,
        duplicate_map,
    })
}

impl FirstSections {
    /// Encodes each vector of the snapshot while `compare` reads them: it hands each node below `count` with its
    /// vector to the given function, on any thread. The codes count once it has succeeded.
    ///
    /// # Errors
    /// Those of `compare`. The codes are of no use then.
    ///
    /// # Safety
    /// `compare` calls the function once for each of these nodes where it succeeds, never twice for one, and no more
    /// once it has returned.
    pub unsafe fn encode_while<T, E>(
        &self,
        count: usize,
        compare: impl FnOnce(&(dyn Fn(usize, &[f32]) + Sync)) -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(quantizer) = &self.quantizer else {
            return compare(&|_, _| {});
        };
        let compared = compare(&|node, vector| {
            let mut scratch = SCRATCH.take();
            // SAFETY: nobody else has this quantizer, and the caller promises one call for each node.
            unsafe { quantizer.write_ahead(node, vector, &mut scratch) };
            SCRATCH.set(scratch);
        })?;
        // SAFETY: the caller promises that each node below `count` was handed over.
        unsafe { quantizer.count_to(count) };
        Ok(compared)
    }
}

thread_local! {
    /// Memory of a thread to encode one vector after another in.
    static SCRATCH: Cell<EncodeScratch> = Cell::default();
}

fn write_relink(
    relink: &RelinkQueue,
    linked: usize,
    out: &mut Writer<impl Write>,
) -> io::Result<()> {
    // After a thread panicked, some may be finished above the watermark. They will be new ones.
    let nodes = || relink.iter().take_while(|&node| (node as usize) < linked);
    out.u32(nodes().count() as u32)?;
    let mut last = 0;
    for node in nodes() {
        out.varint(node - last)?;
        last = node;
    }
    Ok(())
}

fn read_relink(
    header: &Header,
    from: &mut Reader<impl Read>,
) -> Result<RelinkQueue, SnapshotError> {
    let is_linked = |node: u32| match (node as usize) < header.linked {
        true => Ok(node),
        false => Err(SnapshotError::Damaged(
            "nodes to be linked that are not there",
        )),
    };
    if header.version == VERSION_WITH_RANGE {
        return (from.u32()?..from.u32()?).map(is_linked).collect();
    }
    let (count, mut node) = (from.u32()?, 0u32);
    let step = |_| {
        node = node.wrapping_add(from.varint()?);
        is_linked(node)
    };
    (0..count).map(step).collect()
}

fn read_quantizer(
    params: &HnswParams,
    folder: &Path,
    from: &mut Reader<impl Read>,
) -> Result<Option<Quantizer>, SnapshotError> {
    let traversal = match from.u32()? {
        0 => return Ok(None),
        1 => Traversal::Binary,
        2 => Traversal::Int8,
        3 => Traversal::Full,
        _ => return Err(SnapshotError::Damaged("an unknown traversal")),
    };
    let (trained_on, max_scale) = (from.u64()? as usize, f32::from_bits(from.u32()?));
    let mut codes = None;
    if traversal != Traversal::Full {
        let centre = (0..params.dim).map(|_| from.u32().map(f32::from_bits));
        let codec = Int8Codec::of_centre(centre.collect::<Result<_, _>>()?);
        let memory = CodeMemory::new(Some(folder));
        codes = Some(Arc::new(Codes::new(params.metric, codec, memory)));
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
        match from.varint()? {
            0 => {}
            level if level as usize - 1 <= Links::LEVEL_MAX => {
                links.add_node_on(node, level as usize - 1);
            }
            _ => return Err(SnapshotError::Damaged("a level that is too high")),
        }
    }
    let is_node = |&node: &u32| (node as usize) < linked && links.has(node);
    let mut row = Vec::new();
    for node in (0..linked as u32).filter(is_node) {
        for level in 0..=links.level_of(node) {
            let count = from.varint()? as usize;
            if count > links.capacity(level) {
                return Err(SnapshotError::Damaged("more links than a node may have"));
            }
            row.clear();
            for _ in 0..count {
                row.push(from.varint()?);
            }
            if !row.iter().all(is_node) {
                return Err(SnapshotError::Damaged("a link to no node"));
            }
            links.edit(node).replace(level, &row);
        }
    }
    match entry {
        Some(entry) if is_node(&entry) => _ = links.entry_or_first(entry),
        Some(_) => return Err(SnapshotError::Damaged("an entry that is no node")),
        None => {}
    }
    Ok(links)
}

impl Sections {
    /// The document and chunk of each node. Nodes pushed for documents from the watermark on are
    /// dead: their documents may have come to nothing.
    pub fn owners(&self, header: &Header) -> Vec<(u32, u32)> {
        let known = |&(doc, chunk): &(u32, u32)| match doc < header.watermark {
            true => (doc, chunk),
            false => (DEAD, chunk),
        };
        self.first.owners.iter().map(known).collect()
    }

    /// The graph of all this and the full vectors, the first of which are the snapshot's nodes, each
    /// with its document and chunk.
    pub fn onto(
        self,
        params: HnswParams,
        full: FullVectors,
        header: &Header,
        owners: &[(u32, u32)],
    ) -> Graph {
        let Self { first, graph: read } = self;
        let graph = Graph {
            links: read.links,
            duplicates: read.duplicates,
            ..Graph::over(params, full)
        };
        for (node, &(doc, chunk)) in (0..).zip(owners) {
            graph.nodes.own(node, doc, chunk);
        }
        if let Some(quantizer) = &first.quantizer {
            let mut scratch = graph.push.lock();
            quantizer.expect(owners.len());
            for node in quantizer.encoded(owners.len())..owners.len() {
                let append = |vector: &_| quantizer.append(vector, &mut scratch);
                graph.nodes.with(node as u32, append);
            }
        }
        graph.quantizer.store(first.quantizer.map(Into::into));
        graph.linked.store(header.linked, Ordering::Release);
        graph.find_landmarks();
        {
            let mut maintenance = graph.maintenance.write();
            maintenance.resume(header.linked, read.duplicate_map);
            maintenance.tail_mut().relink = read.relink;
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(version: u8) -> Header {
        Header {
            nodes: 200,
            linked: 150,
            file: 0,
            watermark: 0,
            version,
        }
    }

    fn read(version: u8, bytes: &[u8]) -> Result<Vec<u32>, SnapshotError> {
        let queue = read_relink(&header(version), &mut Reader::new(bytes));
        queue.map(|queue| queue.iter().collect())
    }

    #[test]
    fn nodes_to_be_linked_again_are_read_as_they_were_written() {
        for nodes in [vec![], vec![0], vec![3, 4, 64, 149]] {
            let mut out = Writer::new(Vec::new());
            let queue = nodes.iter().copied().chain([150, 180]).collect();
            write_relink(&queue, 150, &mut out).unwrap();
            assert_eq!(read(VERSION, &out.finish().unwrap()).unwrap(), nodes);
        }
        let of_none = [1, 0, 0, 0, 150, 1];
        assert!(read(VERSION, &of_none).is_err());
    }

    #[test]
    fn a_range_of_them_is_read_from_the_version_before() {
        let range = |start: u32, end: u32| [start.to_le_bytes(), end.to_le_bytes()].concat();
        let before = |start, end| read(VERSION_WITH_RANGE, &range(start, end));
        assert_eq!(before(0, 0).unwrap(), []);
        assert_eq!(before(147, 150).unwrap(), [147, 148, 149]);
        assert!(before(147, u32::MAX).is_err());
    }
}
