//! What is known before the sections of a snapshot.

use std::io::{self, Read, Write};

use crate::graph::Graph;
use crate::quantize::codes::Codes;
use crate::{HnswParams, NumericType};

use super::SnapshotError;
use super::format::{Reader, Writer};

/// The first bytes, the last of which is the version of the format.
const MAGIC: [u8; 8] = *b"PELGRPH\x02";
/// Rows of one run of checksums of full vectors are this many or fewer.
const RUNS_MAX: usize = 1 << 28;

/// Counts and numbers.
pub(super) struct Header {
    pub nodes: usize,
    pub linked: usize,
    /// The number of the file of full vectors.
    pub file: usize,
    pub watermark: u32,
}

impl Header {
    pub fn of(graph: &Graph, file: usize, watermark: u32) -> Self {
        let quantizer = graph.quantizer.load();
        let codes = quantizer.as_deref().and_then(|g| g.codes.as_ref());
        let nodes = codes.map_or(graph.nodes.len(), Codes::len);
        Self {
            nodes,
            linked: graph.linked().min(nodes),
            file,
            watermark,
        }
    }

    pub fn write(&self, params: &HnswParams, out: &mut Writer<impl Write>) -> io::Result<()> {
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
            return Err(SnapshotError::Foreign("by another version".to_owned()));
        }
        for (name, expected) in KIND.into_iter().zip(kind(params)) {
            if from.u64()? != expected {
                let reason = format!("with other parameters: {name} differs");
                return Err(SnapshotError::Foreign(reason));
            }
        }
        let mut part = || from.u64().map(|part| part as usize);
        let (nodes, linked, file) = (part()?, part()?, part()?);
        let watermark = from.u32()?;
        if linked > nodes || nodes > RUNS_MAX {
            return Err(SnapshotError::damaged("its counts contradict each other"));
        }
        Ok(Self {
            nodes,
            linked,
            file,
            watermark,
        })
    }
}

/// The parameters in [`kind`].
const KIND: [&str; 6] = ["dim", "metric", "numeric", "m", "ef_construction", "seed"];

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
