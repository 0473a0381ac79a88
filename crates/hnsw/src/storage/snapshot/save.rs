//! Writing a snapshot, section by section.

use std::io::{self, Write};

use crate::graph::Graph;
use crate::graph::links::Links;
use crate::graph::maintenance::Maintenance;
use crate::quantize::quantizer::{Quantizer, Traversal};

use super::format::Writer;
use super::header::Header;

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
    for node in 0..header.nodes as u32 {
        out.u32(graph.nodes.doc(node))?;
        out.u32(graph.nodes.chunk(node))?;
    }
    match graph.quantizer.load().as_deref() {
        None => out.u32(0)?,
        Some(quantizer) => write_quantizer(quantizer, header.nodes, out)?,
    }
    for node in 0..header.linked as u32 {
        out.u32(
            graph
                .duplicates
                .representative(node)
                .map_or(0, |node| node + 1),
        )?;
    }
    write_links(&graph.links, header.linked, out)?;
    let tail = maintenance.tail_mut();
    out.u32(tail.relink.start)?;
    out.u32(tail.relink.end)?;
    let duplicate_map = tail.duplicate_map().iter();
    out.u64(duplicate_map.len() as u64)?;
    for (hash, node) in duplicate_map {
        out.u32(hash)?;
        out.u32(node)?;
    }
    Ok(())
}

fn write_quantizer(
    quantizer: &Quantizer,
    nodes: usize,
    out: &mut Writer<impl Write>,
) -> io::Result<()> {
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
