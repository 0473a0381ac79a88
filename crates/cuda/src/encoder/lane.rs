//! The way of one thread to an encoder: a stream, buffers, and calls cut into passes.

use std::ops::Range;
use std::sync::Arc;

use super::Encoder;
use super::weights::{LayerOn, NormOn, WeightedOn};
use crate::device::{
    Argument, Device, Event, Memory, Multiplier, Pinned, Product, Stream, write_words,
};
use crate::launch::{self, Activation, Pool, TABLES};
use crate::system::driver::Address;
use crate::{AttentionTile, DeviceError, attention_tiles};

/// Tokens of a pass: enough to keep the largest devices busy, and a few hundred megabytes at most.
const TOKENS_MAX: usize = 16_384;
/// Tokens of the smallest pass that is tried where memory is short, unless one text alone has more.
const TOKENS_MIN: usize = 256;
/// Rows of all buffers are a multiple of this: products of few shapes need few plans.
const ROWS: usize = 64;
/// Bytes of an element.
const ELEMENT_BYTES: usize = 2;
/// Bytes that each part of an input begins at a multiple of.
const ALIGNMENT: usize = 256;

/// Texts of tokens, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The row of each token in each of four tables, -1 for none, `[tokens, 4]`.
    pub places: &'a [i32],
    /// Tokens of each text, one at least.
    pub lengths: &'a [u32],
}

/// The way of one thread to an encoder.
pub struct Lane {
    encoder: Arc<Encoder>,
    multiplier: Multiplier,
    scratch: Option<Scratch>,
    slots: [Slot; 2],
    /// Tokens of a pass at most, fewer after memory ran short.
    tokens_max: usize,
    // Last, so that it ends when nothing uses it any more.
    stream: Stream,
}

/// Buffers for the way of a pass through the layers, for so many rows.
struct Scratch {
    rows: usize,
    hidden: Memory,
    middle: Memory,
    context: Memory,
    qkv: Memory,
    inner: Memory,
}

/// The input and the output of a pass.
struct Slot {
    input: Option<(Pinned, Memory)>,
    output: Option<(Pinned, Memory)>,
    done: Event,
    /// The texts of the pass under way.
    texts: Option<Range<usize>>,
}

/// Texts that are computed at once: which, and how many tokens.
struct Pass {
    texts: Range<usize>,
    tokens: Range<usize>,
}

impl Lane {
    /// Makes a way to an encoder.
    ///
    /// # Errors
    /// [`DeviceError`] when the device is lost, or has no room.
    pub fn new(encoder: &Arc<Encoder>) -> Result<Self, DeviceError> {
        let device = encoder.device();
        let slot = || -> Result<Slot, DeviceError> {
            Ok(Slot {
                input: None,
                output: None,
                done: Event::new(device)?,
                texts: None,
            })
        };
        Ok(Self {
            encoder: Arc::clone(encoder),
            multiplier: Multiplier::new(
                device,
                Arc::clone(&encoder.module),
                encoder.element,
                || encoder.products(),
            )?,
            scratch: None,
            slots: [slot()?, slot()?],
            tokens_max: TOKENS_MAX,
            stream: Stream::new(device)?,
        })
    }

    /// The name of what computes its products.
    pub fn multiplier(&self) -> &'static str {
        self.multiplier.name()
    }

    /// The vector of each text, `[texts, width]`, of length one where it is asked for.
    ///
    /// Panics where the places are not those of so many tokens, or a text has none.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] where the device has no room even for a small pass, others when it refuses or is lost.
    /// The lane may be used again, unless the device is lost.
    pub fn encode(
        &mut self,
        texts: Texts<'_>,
        pool: Pool,
        is_normalised: bool,
    ) -> Result<Vec<f32>, DeviceError> {
        let tokens: usize = texts.lengths.iter().map(|&length| length as usize).sum();
        assert_eq!(texts.places.len(), tokens * TABLES, "places of each token");
        assert!(!texts.lengths.contains(&0), "a text has a token");
        let width = self.encoder.shape.width as usize;
        let mut vectors = vec![0.0; texts.lengths.len() * width];
        // Memory that ran short before may be there again.
        self.tokens_max = (self.tokens_max * 2).min(TOKENS_MAX);
        self.encoder.device.enter()?;
        let outcome = self.passes(texts, pool, is_normalised, &mut vectors);
        if outcome.is_err() {
            // The buffers are free again when nothing is under way.
            let _ = self.stream.synchronize();
            for slot in &mut self.slots {
                slot.texts = None;
            }
        }
        outcome.map(|()| vectors)
    }

    fn passes(
        &mut self,
        texts: Texts<'_>,
        pool: Pool,
        is_normalised: bool,
        vectors: &mut [f32],
    ) -> Result<(), DeviceError> {
        let (mut text, mut token) = (0, 0);
        let mut slot = 0;
        while text < texts.lengths.len() {
            let pass = next_pass(texts.lengths, text, token, self.tokens_max);
            self.collect(slot, vectors)?;
            match self.submit(slot, texts, &pass, pool, is_normalised) {
                Ok(()) => {}
                Err(DeviceError::OutOfMemory { .. }) if self.halve(&pass) => {
                    // All that is under way uses buffers that may have to go.
                    self.collect(1 - slot, vectors)?;
                    self.stream.synchronize()?;
                    continue;
                }
                Err(error) => return Err(error),
            }
            (text, token) = (pass.texts.end, pass.tokens.end);
            slot = 1 - slot;
        }
        self.collect(slot, vectors)?;
        self.collect(1 - slot, vectors)
    }

    /// Makes passes smaller; false where this one cannot be.
    fn halve(&mut self, pass: &Pass) -> bool {
        let tokens = pass.tokens.len();
        let may = pass.texts.len() > 1 && tokens > TOKENS_MIN;
        if may {
            self.tokens_max = (tokens / 2).max(TOKENS_MIN);
        }
        may
    }

    /// Waits for the pass in a slot, if there is one, and takes its vectors.
    fn collect(&mut self, slot: usize, vectors: &mut [f32]) -> Result<(), DeviceError> {
        let slot = &mut self.slots[slot];
        let Some(texts) = slot.texts.take() else {
            return Ok(());
        };
        slot.done.wait()?;
        let Some((output, _)) = &slot.output else {
            return Ok(());
        };
        let width = self.encoder.shape.width as usize;
        let vectors = &mut vectors[texts.start * width..texts.end * width];
        let bytes = output.content().as_chunks::<4>().0;
        for (value, bytes) in vectors.iter_mut().zip(bytes) {
            *value = f32::from_ne_bytes(*bytes);
        }
        Ok(())
    }

    /// Puts a pass behind those that are under way.
    fn submit(
        &mut self,
        slot: usize,
        texts: Texts<'_>,
        pass: &Pass,
        pool: Pool,
        is_normalised: bool,
    ) -> Result<(), DeviceError> {
        let (shape, device) = (self.encoder.shape, &self.encoder.device);
        let width = shape.width as usize;
        let lengths = &texts.lengths[pass.texts.clone()];
        let bounds = bounds(lengths);
        let tiles = attention_tiles(&bounds);
        let places = &texts.places[pass.tokens.start * TABLES..pass.tokens.end * TABLES];
        let input = Input::of(places, &tiles, &bounds);
        let rows = pass.tokens.len().next_multiple_of(ROWS);
        if self
            .scratch
            .as_ref()
            .is_none_or(|scratch| scratch.rows < rows)
        {
            // The one before goes first: both may not fit. Its memory is given back when nothing uses it.
            self.stream.synchronize()?;
            self.scratch = None;
            self.scratch = Some(Scratch::new(device, rows, width, shape.inner as usize)?);
        }
        let output_bytes = lengths.len() * width * size_of::<f32>();
        let part = &mut self.slots[slot];
        fit(&mut part.input, device, input.bytes)?;
        fit(&mut part.output, device, output_bytes)?;
        let (Some(scratch), Some((staged, given)), Some((taken, made))) =
            (&self.scratch, &mut part.input, &mut part.output)
        else {
            return Ok(());
        };
        input.write(staged.content_mut(), places, &tiles, &bounds);
        let stream = &self.stream;
        given.upload(staged, input.bytes, stream)?;
        let mut run = Run {
            encoder: &self.encoder,
            multiplier: &mut self.multiplier,
            scratch,
            stream,
            tokens: pass.tokens.len() as u32,
            rows: rows as u32,
            tiles: tiles.len() as u32,
            tiles_at: given.address() + input.tiles as Address,
        };
        // SAFETY: the input is that of so many tokens, texts and tiles, the scratch has room for the rows, and the slot for the
        // vectors; all of it lives until the stream has passed `done`, which is waited for before anything is reused.
        unsafe {
            run.embed(given.address())?;
            for layer in &self.encoder.weights.layers {
                run.layer(layer)?;
            }
            let bounds = given.address() + input.bounds as Address;
            run.pool(
                bounds,
                lengths.len() as u32,
                pool,
                is_normalised,
                made.address(),
            )?;
        }
        made.download(taken, output_bytes, stream)?;
        part.done.record(stream)?;
        part.texts = Some(pass.texts.clone());
        Ok(())
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // Its buffers go next.
        let _ = self.stream.synchronize();
    }
}

/// The next texts that are computed at once: as many as have at most so many tokens, and one at least.
fn next_pass(lengths: &[u32], text: usize, token: usize, tokens_max: usize) -> Pass {
    let (mut end, mut tokens) = (text, 0);
    for &length in &lengths[text..] {
        if end > text && tokens + length as usize > tokens_max {
            break;
        }
        end += 1;
        tokens += length as usize;
    }
    Pass {
        texts: text..end,
        tokens: token..token + tokens,
    }
}

/// The first token of each text, and the number of all.
fn bounds(lengths: &[u32]) -> Vec<u32> {
    let mut bounds = Vec::with_capacity(lengths.len() + 1);
    let mut at = 0;
    bounds.push(at);
    for &length in lengths {
        at += length;
        bounds.push(at);
    }
    bounds
}

/// Makes a pair of buffers of so many bytes at least.
fn fit(
    pair: &mut Option<(Pinned, Memory)>,
    device: &Arc<Device>,
    bytes: usize,
) -> Result<(), DeviceError> {
    if pair
        .as_ref()
        .is_some_and(|(pinned, _)| pinned.bytes() >= bytes)
    {
        return Ok(());
    }
    *pair = None;
    let bytes = bytes.next_power_of_two();
    *pair = Some((Pinned::new(device, bytes)?, Memory::new(device, bytes)?));
    Ok(())
}

impl Scratch {
    fn new(
        device: &Arc<Device>,
        rows: usize,
        width: usize,
        inner: usize,
    ) -> Result<Self, DeviceError> {
        let memory = |columns: usize| Memory::new(device, rows * columns * ELEMENT_BYTES);
        Ok(Self {
            rows,
            hidden: memory(width)?,
            middle: memory(width)?,
            context: memory(width)?,
            qkv: memory(3 * width)?,
            inner: memory(inner)?,
        })
    }
}

/// The places of the parts of an input, which is one piece of memory: rows of tables, then tiles, then bounds.
struct Input {
    tiles: usize,
    bounds: usize,
    bytes: usize,
}

impl Input {
    fn of(places: &[i32], tiles: &[AttentionTile], bounds: &[u32]) -> Self {
        let at_tiles = size_of_val(places).next_multiple_of(ALIGNMENT);
        let at_bounds = (at_tiles + size_of_val(tiles)).next_multiple_of(ALIGNMENT);
        Self {
            tiles: at_tiles,
            bounds: at_bounds,
            bytes: at_bounds + size_of_val(bounds),
        }
    }

    fn write(&self, bytes: &mut [u8], places: &[i32], tiles: &[AttentionTile], bounds: &[u32]) {
        write_words(
            &mut bytes[..self.tiles],
            places.iter().map(|place| place.to_ne_bytes()),
        );
        let words = tiles.iter().flatten();
        write_words(
            &mut bytes[self.tiles..self.bounds],
            words.map(|word| word.to_ne_bytes()),
        );
        write_words(
            &mut bytes[self.bounds..],
            bounds.iter().map(|bound| bound.to_ne_bytes()),
        );
    }
}

/// A pass on its way through the layers.
struct Run<'r> {
    encoder: &'r Encoder,
    multiplier: &'r mut Multiplier,
    scratch: &'r Scratch,
    stream: &'r Stream,
    tokens: u32,
    /// Tokens, and rows after them that nobody looks at.
    rows: u32,
    tiles: u32,
    tiles_at: Address,
}

impl Run<'_> {
    /// The sum of what the tables have for each token, normalised.
    ///
    /// # Safety
    /// As of `submit`: all memory is as large as the pass needs, here and below.
    unsafe fn embed(&self, places: Address) -> Result<(), DeviceError> {
        let Encoder { weights, shape, .. } = self.encoder;
        let NormOn {
            epsilon,
            weight,
            bias,
        } = weights.norm;
        let mut arguments = Vec::with_capacity(2 * TABLES + 8);
        for table in 0..TABLES {
            let (address, rows) = weights.tables.get(table).copied().unwrap_or((0, 0));
            arguments.extend([Argument::Address(address), Argument::U32(rows)]);
        }
        arguments.extend([
            Argument::Address(places),
            Argument::Address(weight),
            Argument::Address(bias),
            Argument::F32(epsilon),
            Argument::U32(self.tokens),
            Argument::U32(shape.width),
            Argument::Address(0),
            Argument::Address(self.scratch.hidden.address()),
        ]);
        let launch = launch::embed_norm(self.tokens, shape.width)?;
        // SAFETY: the parameters of this kernel, in their order.
        unsafe { self.encoder.module.launch(self.stream, launch, &arguments) }
    }

    /// # Safety
    /// As of `embed`.
    unsafe fn layer(&mut self, layer: &LayerOn) -> Result<(), DeviceError> {
        let shape = self.encoder.shape;
        let (width, inner) = (shape.width, shape.inner);
        let Scratch {
            hidden,
            middle,
            context,
            qkv,
            inner: between,
            ..
        } = self.scratch;
        let [hidden, middle, context, qkv, between] =
            [hidden, middle, context, qkv, between].map(Memory::address);
        let none = Activation::None;
        // SAFETY: buffers and weights have the sizes that are named with them.
        unsafe {
            self.multiply(hidden, layer.qkv, none, width, 3 * width, qkv)?;
            self.attend(qkv, layer.factor, context)?;
            // The sum that follows adds the bias.
            self.multiply(context, bare(layer.out), none, width, width, middle)?;
            self.add_norm(middle, layer.out.bias, hidden, layer.attention_norm)?;
            self.multiply(middle, layer.up, layer.activation, width, inner, between)?;
            self.multiply(between, bare(layer.down), none, inner, width, hidden)?;
            self.add_norm(hidden, layer.down.bias, middle, layer.norm)
        }
    }

    /// # Safety
    /// As of `embed`.
    unsafe fn multiply(
        &mut self,
        rows: Address,
        WeightedOn { matrix, bias }: WeightedOn,
        activation: Activation,
        depth: u32,
        columns: u32,
        out: Address,
    ) -> Result<(), DeviceError> {
        let product = Product {
            rows,
            matrix,
            out,
            bias,
            activation,
            count: self.rows,
            depth,
            columns,
        };
        // SAFETY: the caller's promise.
        unsafe { self.multiplier.multiply(self.stream, product) }
    }

    /// # Safety
    /// As of `embed`.
    unsafe fn attend(&self, qkv: Address, factor: f32, out: Address) -> Result<(), DeviceError> {
        let shape = self.encoder.shape;
        let launch = launch::attention(self.tiles, shape.heads, shape.width / shape.heads, false)?;
        let arguments = [
            Argument::Address(qkv),
            Argument::U32(3 * shape.width),
            Argument::Address(self.tiles_at),
            Argument::U32(shape.heads),
            Argument::F32(factor),
            Argument::U32(0),
            Argument::Address(0),
            Argument::U32(0),
            Argument::Address(out),
        ];
        // SAFETY: the parameters of this kernel, in their order.
        unsafe { self.encoder.module.launch(self.stream, launch, &arguments) }
    }

    /// Adds a residual to rows, and normalises them in place.
    ///
    /// # Safety
    /// As of `embed`.
    unsafe fn add_norm(
        &self,
        rows: Address,
        rows_bias: Address,
        residual: Address,
        norm: NormOn,
    ) -> Result<(), DeviceError> {
        let width = self.encoder.shape.width;
        let NormOn {
            epsilon,
            weight,
            bias,
        } = norm;
        let arguments = [
            Argument::Address(rows),
            Argument::Address(rows_bias),
            Argument::Address(residual),
            Argument::Address(weight),
            Argument::Address(bias),
            Argument::F32(epsilon),
            Argument::U32(self.tokens),
            Argument::U32(width),
            Argument::Address(0),
            Argument::Address(rows),
        ];
        let launch = launch::add_norm(self.tokens, width)?;
        // SAFETY: the parameters of this kernel, in their order.
        unsafe { self.encoder.module.launch(self.stream, launch, &arguments) }
    }

    /// # Safety
    /// As of `embed`.
    unsafe fn pool(
        &self,
        bounds: Address,
        texts: u32,
        pool: Pool,
        is_normalised: bool,
        out: Address,
    ) -> Result<(), DeviceError> {
        let width = self.encoder.shape.width;
        let arguments = [
            Argument::Address(self.scratch.hidden.address()),
            Argument::Address(bounds),
            Argument::U32(width),
            Argument::U32(pool as u32),
            Argument::U32(is_normalised.into()),
            Argument::Address(out),
        ];
        let launch = launch::pool(texts, width)?;
        // SAFETY: the parameters of this kernel, in their order.
        unsafe { self.encoder.module.launch(self.stream, launch, &arguments) }
    }
}

/// A product without its bias.
fn bare(weighted: WeightedOn) -> WeightedOn {
    WeightedOn {
        bias: 0,
        ..weighted
    }
}
