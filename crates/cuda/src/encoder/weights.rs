//! The weights of a model on a device.

use std::sync::Arc;

use super::{Model, Norm, Weighted};
use crate::DeviceError;
use crate::device::{Argument, Device, Memory, Module, Pinned, Stream};
use crate::launch;
use crate::system::driver::Address;

/// Bytes of floats that are uploaded at a time.
const STAGING_BYTES: usize = 32 << 20;

/// Bytes that each part of the weights begins at a multiple of.
const ALIGNMENT: usize = 256;

/// Bytes of an element.
const ELEMENT_BYTES: usize = 2;

/// All weights, in one piece of memory.
pub(super) struct Weights {
    memory: Memory,
    pub(super) tables: Vec<(Address, u32)>,
    pub(super) norm: NormOn,
    pub(super) layers: Vec<LayerOn>,
}

/// A normalisation on a device.
#[derive(Clone, Copy)]
pub(super) struct NormOn {
    pub(super) epsilon: f32,
    pub(super) weight: Address,
    pub(super) bias: Address,
}

/// A matrix on a device, `[columns, depth]`, and what is added to its results, 0 for nothing.
#[derive(Clone, Copy)]
pub(super) struct WeightedOn {
    pub(super) matrix: Address,
    pub(super) bias: Address,
}

/// A layer on a device.
pub(super) struct LayerOn {
    /// Queries, keys and values beside each other.
    pub(super) qkv: WeightedOn,
    pub(super) factor: f32,
    pub(super) out: WeightedOn,
    pub(super) attention_norm: NormOn,
    pub(super) up: WeightedOn,
    pub(super) activation: launch::Activation,
    pub(super) down: WeightedOn,
    pub(super) norm: NormOn,
}

impl Weights {
    /// Uploads them, in elements.
    ///
    /// Panics where a part of the model has another size than the model says.
    pub(super) fn upload(
        device: &Arc<Device>,
        module: &Module,
        model: &Model<'_>,
    ) -> Result<Self, DeviceError> {
        let mut size = Layout::default();
        place(model, &mut size)?;
        let memory = Memory::new(device, size.end)?;
        let mut upload = Upload {
            module,
            start: memory.address(),
            layout: Layout::default(),
            stream: Stream::new(device)?,
            staging: Memory::new(device, staging_bytes(model))?,
            pinned: Pinned::new(device, staging_bytes(model))?,
        };
        let placed = place(model, &mut upload);
        // The buffers may go only when nothing is under way, also after a fault.
        let ended = upload.stream.synchronize();
        let (tables, norm, layers) = placed?;
        ended?;
        drop(upload);
        Ok(Self {
            memory,
            tables,
            norm,
            layers,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.memory.bytes()
    }
}

/// Bytes that are uploaded at once: the largest part of the weights where that is not much, and a row of it at least.
fn staging_bytes(model: &Model<'_>) -> usize {
    let row = model.width.max(model.inner) as usize * size_of::<f32>();
    let tables = model.tables.iter().map(|table| table.0.len());
    let products = row * 3 * model.width as usize;
    let largest = tables.max().unwrap_or(0).max(products);
    largest
        .min(STAGING_BYTES)
        .max(row)
        .next_multiple_of(ALIGNMENT)
}

type Placed = (Vec<(Address, u32)>, NormOn, Vec<LayerOn>);

/// Goes through all weights in their order.
fn place(model: &Model<'_>, to: &mut impl Place) -> Result<Placed, DeviceError> {
    let (width, inner) = (model.width, model.inner);
    let row_bytes = width as usize * size_of::<f32>();
    let mut tables = Vec::new();
    for table in &model.tables {
        let rows = u32::try_from(table.0.len() / row_bytes).unwrap_or(u32::MAX);
        assert_eq!(
            table.0.len(),
            rows as usize * row_bytes,
            "a table has whole rows"
        );
        let part = Part {
            bytes: &table.0,
            lies_so: true,
            rows: rows as usize,
            width: width as usize,
        };
        tables.push((to.elements(&[part])?, rows));
    }
    let norm = placed_norm(&model.norm, width, to)?;
    let mut layers = Vec::new();
    for layer in &model.layers {
        let [q, k, v] = &layer.qkv;
        layers.push(LayerOn {
            qkv: placed_products(&[q, k, v], width, width, to)?,
            factor: layer.factor,
            out: placed_products(&[&layer.out], width, width, to)?,
            attention_norm: placed_norm(&layer.attention_norm, width, to)?,
            up: placed_products(&[&layer.up], width, inner, to)?,
            activation: layer.activation,
            down: placed_products(&[&layer.down], inner, width, to)?,
            norm: placed_norm(&layer.norm, width, to)?,
        });
    }
    Ok((tables, norm, layers))
}

/// A matrix on its way: as it lies, and as it will lie.
#[derive(Clone, Copy)]
struct Part<'p> {
    bytes: &'p [u8],
    /// Rows lie as they will, which for a matrix of products is as columns.
    lies_so: bool,
    rows: usize,
    width: usize,
}

impl Part<'_> {
    fn element_bytes(&self) -> usize {
        self.rows * self.width * ELEMENT_BYTES
    }
}

fn placed_norm(norm: &Norm, width: u32, to: &mut impl Place) -> Result<NormOn, DeviceError> {
    let lengths = [norm.weight.len(), norm.bias.len()];
    assert_eq!(
        lengths, [width as usize; 2],
        "a normalisation is as wide as its rows"
    );
    Ok(NormOn {
        epsilon: norm.epsilon,
        weight: to.floats(&norm.weight)?,
        bias: to.floats(&norm.bias)?,
    })
}

/// Products beside each other, each `[depth, columns]`.
fn placed_products(
    parts: &[&Weighted<'_>],
    depth: u32,
    columns: u32,
    to: &mut impl Place,
) -> Result<WeightedOn, DeviceError> {
    let matrices: Vec<_> = parts
        .iter()
        .map(|part| Part {
            bytes: &part.matrix.values.0,
            lies_so: part.matrix.is_transposed,
            rows: columns as usize,
            width: depth as usize,
        })
        .collect();
    let matrix = to.elements(&matrices)?;
    if parts.iter().all(|part| part.bias.is_none()) {
        return Ok(WeightedOn { matrix, bias: 0 });
    }
    let mut biases = Vec::with_capacity(parts.len() * columns as usize);
    for part in parts {
        match &part.bias {
            Some(bias) => {
                assert_eq!(bias.len(), columns as usize, "a bias for each column");
                biases.extend_from_slice(bias);
            }
            None => biases.extend(std::iter::repeat_n(0.0, columns as usize)),
        }
    }
    let bias = to.floats(&biases)?;
    Ok(WeightedOn { matrix, bias })
}

/// Where weights go.
trait Place {
    /// Matrices one after the other, each of so many rows and values of a row as it will lie. Answers where.
    fn elements(&mut self, parts: &[Part<'_>]) -> Result<Address, DeviceError>;
    /// Floats. Answers where.
    fn floats(&mut self, values: &[f32]) -> Result<Address, DeviceError>;
}

/// Counts the bytes of weights.
#[derive(Default)]
struct Layout {
    end: usize,
}

impl Layout {
    fn take(&mut self, bytes: usize) -> usize {
        let start = self.end;
        self.end = (start + bytes).next_multiple_of(ALIGNMENT);
        start
    }
}

impl Place for Layout {
    fn elements(&mut self, parts: &[Part<'_>]) -> Result<Address, DeviceError> {
        Ok(self.take(elements_bytes(parts)) as Address)
    }

    fn floats(&mut self, values: &[f32]) -> Result<Address, DeviceError> {
        Ok(self.take(size_of_val(values)) as Address)
    }
}

fn elements_bytes(parts: &[Part<'_>]) -> usize {
    for part in parts {
        let count = part.rows * part.width;
        assert_eq!(
            part.bytes.len(),
            count * size_of::<f32>(),
            "as many values as it has places"
        );
    }
    parts.iter().map(Part::element_bytes).sum()
}

/// Uploads weights a piece at a time: floats first, which the device makes elements of.
struct Upload<'u> {
    module: &'u Module,
    start: Address,
    layout: Layout,
    stream: Stream,
    staging: Memory,
    pinned: Pinned,
}

impl Upload<'_> {
    /// Brings bytes to the device.
    fn stage(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        // The piece before has left the buffers.
        self.stream.synchronize()?;
        self.pinned.content_mut()[..bytes.len()].copy_from_slice(bytes);
        self.staging.upload(&self.pinned, bytes.len(), &self.stream)
    }

    /// Rows that lie as they are to lie, some at a time.
    fn copied(&mut self, bytes: &[u8], to: Address) -> Result<(), DeviceError> {
        let piece = self.pinned.bytes() / ALIGNMENT * ALIGNMENT;
        let mut at = to;
        for bytes in bytes.chunks(piece) {
            self.stage(bytes)?;
            let count = (bytes.len() / size_of::<f32>()) as u64;
            let arguments = [
                Argument::Address(self.staging.address()),
                Argument::U64(count),
                Argument::Address(at),
            ];
            // SAFETY: the parameters of this kernel: staged floats, and room for as many elements.
            unsafe {
                self.module
                    .launch(&self.stream, launch::convert(count), &arguments)?
            };
            at += count * ELEMENT_BYTES as Address;
        }
        Ok(())
    }

    /// Columns that are to lie as rows, `[depth, columns]`. Those that are too many to be uploaded at once are turned on the
    /// way, some columns at a time.
    fn turned(
        &mut self,
        bytes: &[u8],
        depth: usize,
        columns: usize,
        to: Address,
    ) -> Result<(), DeviceError> {
        let value = size_of::<f32>();
        let line = columns * value;
        let most = (self.pinned.bytes() / (depth * value)).clamp(1, columns);
        for first in (0..columns).step_by(most) {
            let count = most.min(columns - first);
            self.stream.synchronize()?;
            let piece = count * value;
            let rows = bytes.chunks_exact(line);
            for (row, out) in rows.zip(self.pinned.content_mut().chunks_exact_mut(piece)) {
                out.copy_from_slice(&row[first * value..][..piece]);
            }
            self.staging
                .upload(&self.pinned, depth * piece, &self.stream)?;
            let (rows, columns) = (depth as u32, count as u32);
            let arguments = [
                Argument::Address(self.staging.address()),
                Argument::U32(rows),
                Argument::U32(columns),
                Argument::Address(to + (first * depth * ELEMENT_BYTES) as Address),
            ];
            let launch = launch::convert_transposed(rows, columns)?;
            // SAFETY: the parameters of this kernel: staged floats, and room for as many elements.
            unsafe { self.module.launch(&self.stream, launch, &arguments)? };
        }
        Ok(())
    }
}

impl Place for Upload<'_> {
    fn elements(&mut self, parts: &[Part<'_>]) -> Result<Address, DeviceError> {
        let start = self.start + self.layout.take(elements_bytes(parts)) as Address;
        let mut at = start;
        for part in parts {
            if part.lies_so {
                self.copied(part.bytes, at)?;
            } else {
                self.turned(part.bytes, part.width, part.rows, at)?;
            }
            at += part.element_bytes() as Address;
        }
        Ok(start)
    }

    fn floats(&mut self, values: &[f32]) -> Result<Address, DeviceError> {
        let at = self.layout.take(size_of_val(values));
        let to = self.start + at as Address;
        let most = self.pinned.bytes() / size_of::<f32>();
        for (values, first) in values.chunks(most).zip((0..).step_by(most)) {
            self.stream.synchronize()?;
            let bytes = self.pinned.content_mut().as_chunks_mut::<4>().0;
            for (bytes, value) in bytes.iter_mut().zip(values) {
                *bytes = value.to_ne_bytes();
            }
            let bytes = size_of_val(values);
            let to = to + (first * size_of::<f32>()) as Address;
            // SAFETY: `to` has room for them, and the pinned bytes stay until the stream is done.
            unsafe { Memory::upload_to(to, &self.pinned, bytes, &self.stream)? };
        }
        Ok(to)
    }
}
