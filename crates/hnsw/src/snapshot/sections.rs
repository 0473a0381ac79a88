//! What a snapshot holds, section by section.

use std::io::{self, Read, Write};

use crate::advance::Upkeep;
use crate::calibration::{Generation, Order};
use crate::codes::Codes;
use crate::core::Core;
use crate::full_vectors::FullVectors;
use crate::links::Links;
use crate::sync::Ordering;
use crate::twins::{Places, Twins};
use crate::vectors::DEAD;
use crate::{HnswParams, NumericType};

use super::SnapshotError;
use super::format::{Reader, Writer};

/// The first bytes, the last of which is the version of the format.
const MAGIC: [u8; 8] = *b"PELGRPH\x01";
/// Rows of one run of checksums of full vectors are this many or fewer.
const RUNS_MAX: usize = 1 << 28;

/// What is known before the sections.
pub(super) struct Header {
    pub nodes: usize,
    linked: usize,
    /// The number of the file of full vectors.
    pub file: usize,
    pub watermark: u32,
}

impl Header {
    pub fn of(core: &Core, file: usize, watermark: u32) -> Self {
        let generation = core.generation.load();
        let codes = generation.as_deref().and_then(|g| g.codes.as_ref());
        let nodes = codes.map_or(core.vectors.len(), Codes::len);
        Self {
            nodes,
            linked: core.linked().min(nodes),
            file,
            watermark,
        }
    }

    fn write(&self, params: &HnswParams, out: &mut Writer<impl Write>) -> io::Result<()> {
        out.bytes(&MAGIC)?;
        for part in kind(params) {
            out.u64(part)?;
        }
        for part in [self.nodes, self.linked, self.file] {
            out.u64(part as u64)?;
        }
        out.u32(self.watermark)
    }

    pub fn read(params: &HnswParams, from: &mut Reader<impl Read>) -> Result<Self, SnapshotError> {
        let mut magic = [0; 8];
        from.bytes(&mut magic)?;
        if magic != MAGIC {
            let found = String::from_utf8_lossy(&magic).into_owned();
            return Err(SnapshotError::Foreign(format!("it begins with {found:?}")));
        }
        for expected in kind(params) {
            let found = from.u64()?;
            if found != expected {
                let reason = format!("{found} where {expected} was expected");
                return Err(SnapshotError::Foreign(reason));
            }
        }
        let mut part = || from.u64().map(|part| part as usize);
        let (nodes, linked, file) = (part()?, part()?, part()?);
        let watermark = from.u32()?;
        if linked > nodes || nodes > RUNS_MAX {
            return Err(damaged("its counts contradict each other"));
        }
        Ok(Self {
            nodes,
            linked,
            file,
            watermark,
        })
    }
}

/// What must be the same for a snapshot to be of use.
fn kind(params: &HnswParams) -> [u64; 6] {
    let mut name = [0; 8];
    for (i, byte) in params.metric.name().bytes().enumerate() {
        name[i % 8] ^= byte.rotate_left(i as u32 / 8);
    }
    let numeric = match params.numeric {
        NumericType::Float => 0,
        NumericType::Bfloat16 => 1,
    };
    [
        params.dim as u64,
        u64::from_le_bytes(name),
        numeric,
        params.m as u64,
        params.ef_construction as u64,
        params.seed,
    ]
}

/// Writes everything but the full vectors.
pub(super) fn write(
    core: &Core,
    upkeep: &mut Upkeep,
    header: &Header,
    out: &mut Writer<impl Write>,
) -> io::Result<()> {
    header.write(&core.params, out)?;
    let sums = core.vectors.full().checksums(header.nodes);
    out.u64(sums.len() as u64)?;
    sums.into_iter().try_for_each(|sum| out.u32(sum))?;
    for node in 0..header.nodes as u32 {
        out.u32(core.vectors.doc(node))?;
        out.u32(core.vectors.chunk(node))?;
    }
    match core.generation.load().as_deref() {
        None => out.u32(0)?,
        Some(generation) => write_generation(generation, header.nodes, out)?,
    }
    for node in 0..header.linked as u32 {
        out.u32(core.twins.representative(node).map_or(0, |node| node + 1))?;
    }
    write_links(&core.links, header.linked, out)?;
    let tail = upkeep.tail_mut();
    out.u32(tail.relink.start)?;
    out.u32(tail.relink.end)?;
    let places = tail.places().iter();
    out.u64(places.len() as u64)?;
    for (hash, node) in places {
        out.u32(hash)?;
        out.u32(node)?;
    }
    Ok(())
}

fn write_generation(
    generation: &Generation,
    nodes: usize,
    out: &mut Writer<impl Write>,
) -> io::Result<()> {
    out.u32(match generation.order {
        Order::Bits => 1,
        Order::Codes => 2,
        Order::Full => 3,
    })?;
    out.u64(generation.made_on as u64)?;
    out.u32(generation.widest.to_bits())?;
    let Some(codes) = &generation.codes else {
        return Ok(());
    };
    let centre = codes.codec().centre().iter();
    centre
        .copied()
        .map(f32::to_bits)
        .try_for_each(|x| out.u32(x))?;
    let (records, rows) = (codes.records(), codes.codes());
    for node in 0..nodes {
        out.words(records.record(node as u32))?;
        out.codes(rows.row(node))?;
    }
    Ok(())
}

fn write_links(links: &Links, linked: usize, out: &mut Writer<impl Write>) -> io::Result<()> {
    out.u32(links.entry().map_or(0, |entry| entry + 1))?;
    let nodes = || (0..linked as u32).filter(|&node| links.has(node));
    for node in 0..linked as u32 {
        let level = links.has(node).then(|| links.level_of(node) as u32 + 1);
        out.u32(level.unwrap_or(0))?;
    }
    for node in nodes() {
        for level in 0..=links.level_of(node) {
            let mut neighbors = links.neighbors(node, level);
            for _ in 0..links.capacity(level) {
                out.u32(neighbors.next().map_or(0, |near| near + 1))?;
            }
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
        return Err(damaged("more checksums than vectors"));
    }
    (0..count).map(|_| from.u32()).collect()
}

/// What a snapshot holds beside the full vectors.
pub(super) struct Sections {
    owners: Vec<(u32, u32)>,
    generation: Option<Generation>,
    twins: Twins,
    links: Links,
    relink: std::ops::Range<u32>,
    places: Places,
}

pub(super) fn read(
    params: &HnswParams,
    header: &Header,
    from: &mut Reader<impl Read>,
) -> Result<Sections, SnapshotError> {
    let owners = (0..header.nodes).map(|_| Ok((from.u32()?, from.u32()?)));
    let owners = owners.collect::<Result<_, SnapshotError>>()?;
    let generation = read_generation(params, header.nodes, from)?;
    let twins = Twins::new();
    for node in 0..header.linked as u32 {
        match from.u32()? {
            0 => {}
            // A representative is never above its twins.
            place if place <= node => twins.attach(place - 1, node),
            _ => return Err(damaged("a twin of a later node")),
        }
    }
    let links = read_links(params, header.linked, from)?;
    let relink = from.u32()?..from.u32()?;
    let count = from.u64()?;
    let mut places = Places::default();
    for _ in 0..count {
        let (hash, node) = (from.u32()?, from.u32()?);
        if node as usize >= header.linked {
            return Err(damaged("a place of no node"));
        }
        places.set(hash, node);
    }
    if relink.end as usize > header.linked {
        return Err(damaged("nodes to be linked that are not there"));
    }
    Ok(Sections {
        owners,
        generation,
        twins,
        links,
        relink,
        places,
    })
}

fn read_generation(
    params: &HnswParams,
    nodes: usize,
    from: &mut Reader<impl Read>,
) -> Result<Option<Generation>, SnapshotError> {
    let order = match from.u32()? {
        0 => return Ok(None),
        1 => Order::Bits,
        2 => Order::Codes,
        3 => Order::Full,
        _ => return Err(damaged("an order of no kind")),
    };
    let (made_on, widest) = (from.u64()? as usize, f32::from_bits(from.u32()?));
    let mut codes = None;
    if order != Order::Full {
        let centre = (0..params.dim).map(|_| from.u32().map(f32::from_bits));
        let codec = pelorus_kernels::Int8Codec::of_centre(centre.collect::<Result<_, _>>()?);
        let read = Codes::new(params.metric, codec);
        for _ in 0..nodes {
            read.append_coded(|record, code| {
                from.words(record)?;
                from.codes(code)
            })?;
        }
        codes = Some(read);
    }
    Ok(Some(Generation::new(made_on, codes, order, widest)))
}

fn read_links(
    params: &HnswParams,
    linked: usize,
    from: &mut Reader<impl Read>,
) -> Result<Links, SnapshotError> {
    let links = Links::new(params.m, params.seed);
    let entry = from.u32()?.checked_sub(1);
    for node in 0..linked as u32 {
        match from.u32()? {
            0 => {}
            level if level as usize - 1 <= Links::LEVEL_MAX => {
                links.add_node_on(node, level as usize - 1);
            }
            _ => return Err(damaged("a level that is too high")),
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
                return Err(damaged("a link to no node"));
            }
            links.edit(node).replace(level, &row);
        }
    }
    match entry {
        Some(entry) if is_node(&entry) => _ = links.entry_or_first(entry),
        Some(_) => return Err(damaged("an entry that is no node")),
        None => {}
    }
    Ok(links)
}

impl Sections {
    /// The core of all this and the full vectors.
    pub fn onto(
        self,
        params: HnswParams,
        full: FullVectors,
        header: &Header,
    ) -> Result<Core, SnapshotError> {
        let core = Core {
            links: self.links,
            twins: self.twins,
            ..Core::over(params, full)
        };
        for (node, &(doc, chunk)) in (0..).zip(&self.owners) {
            let known = doc < header.watermark;
            core.vectors
                .own(node, if known { doc } else { DEAD }, chunk);
        }
        core.generation.store(self.generation.map(Into::into));
        core.linked.store(header.linked, Ordering::Release);
        {
            let mut upkeep = core.upkeep.write();
            upkeep.resume(header.linked, self.places);
            upkeep.tail_mut().relink = self.relink;
        }
        Ok(core)
    }
}

fn damaged(what: &str) -> SnapshotError {
    SnapshotError::Damaged(what.to_owned())
}
