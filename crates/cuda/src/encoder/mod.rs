//! Encoders of texts on a device: weights uploaded once, texts of all lengths as one matrix of tokens.
//!
//! A [`Model`] says what is computed, and is read where it lies. [`Encoder`] holds its weights on a device, in elements of 16
//! bits; a [`Lane`] is the way of one thread to it, with a stream and buffers of its own. A call is cut into passes of some
//! thousand tokens. While the device computes one, the inputs of the next are on their way: there are two sets of pinned
//! buffers. Where memory runs out a pass is halved; a call that even a small pass has no room for fails, and can be
//! made again on the CPU.

mod lane;
mod weights;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::{Device, Module};
use crate::launch;
use crate::{DeviceError, Element, Program};

pub use lane::{Lane, Texts};
use weights::Weights;

/// An encoder as it is read: what its layers compute, and their weights.
pub struct Model<'a> {
    /// Components of a vector.
    pub width: u32,
    /// Parts that attention is divided among.
    pub heads: u32,
    /// Values between the two products of a layer.
    pub inner: u32,
    /// Tables of embeddings, one to four, each `[rows, width]`.
    pub tables: Vec<Floats<'a>>,
    /// The normalisation of what they add up to.
    pub norm: Norm,
    /// The layers.
    pub layers: Vec<Layer<'a>>,
}

/// Floats of 32 bits as their bytes, the lowest first, wherever they lie.
#[derive(Clone, Debug)]
pub struct Floats<'a>(pub Cow<'a, [u8]>);

/// A normalisation of rows.
#[derive(Clone, Debug)]
pub struct Norm {
    /// Added to the variance.
    pub epsilon: f32,
    /// Factors, `[width]`.
    pub weight: Vec<f32>,
    /// Added after that, `[width]`.
    pub bias: Vec<f32>,
}

/// A matrix of weights, `[depth, columns]`, or, where it is transposed, `[columns, depth]`.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    /// Its values.
    pub values: Floats<'a>,
    /// Columns lie as rows.
    pub is_transposed: bool,
}

/// A matrix and what is added to its results.
#[derive(Clone, Debug)]
pub struct Weighted<'a> {
    /// The matrix.
    pub matrix: Matrix<'a>,
    /// One for each column; none for nothing.
    pub bias: Option<Vec<f32>>,
}

/// A layer: attention, then two products, each followed by the sum with what it was given, normalised.
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    /// Queries, keys and values, `[width, width]` each.
    pub qkv: [Weighted<'a>; 3],
    /// The factor of scores.
    pub factor: f32,
    /// After attention, `[width, width]`.
    pub out: Weighted<'a>,
    /// The normalisation after that.
    pub attention_norm: Norm,
    /// `[width, inner]`
    pub up: Weighted<'a>,
    /// The function between the products.
    pub activation: launch::Activation,
    /// `[inner, width]`
    pub down: Weighted<'a>,
    /// The last normalisation.
    pub norm: Norm,
}

/// A model on a device. Any number of threads may use it, each by a [`Lane`] of its own.
pub struct Encoder {
    device: Arc<Device>,
    module: Arc<Module>,
    /// The kernels of products, once somebody has no cuBLASLt.
    products: Mutex<Option<Arc<Module>>>,
    folder: Option<PathBuf>,
    element: Element,
    shape: Shape,
    weights: Weights,
}

/// The sizes of a model.
#[derive(Clone, Copy, Debug)]
struct Shape {
    width: u32,
    heads: u32,
    inner: u32,
}

impl Encoder {
    /// Uploads the weights of a model. Compiled kernels are kept in `folder`.
    ///
    /// # Errors
    /// [`DeviceError`] where the device has no room, the kernels cannot be had or do not compute such a model.
    pub fn load(
        device: &Arc<Device>,
        model: &Model<'_>,
        element: Element,
        folder: Option<&Path>,
    ) -> Result<Self, DeviceError> {
        let shape = Shape {
            width: model.width,
            heads: model.heads,
            inner: model.inner,
        };
        shape.check()?;
        let module = Module::load(device, Program::Encoder(element), folder)?;
        let weights = Weights::upload(device, &module, model)?;
        Ok(Self {
            device: Arc::clone(device),
            module: Arc::new(module),
            products: Mutex::default(),
            folder: folder.map(Path::to_owned),
            element,
            shape,
            weights,
        })
    }

    /// The device that it is on.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The numbers that it computes in.
    pub fn element(&self) -> Element {
        self.element
    }

    /// The kernels of products, loaded once.
    fn products(&self) -> Result<Arc<Module>, DeviceError> {
        let mut products = self.products.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*products {
            return Ok(Arc::clone(module));
        }
        let program = Program::Product(self.element);
        let module = Arc::new(Module::load(&self.device, program, self.folder.as_deref())?);
        *products = Some(Arc::clone(&module));
        Ok(module)
    }

    /// Bytes of its weights on the device.
    pub fn bytes(&self) -> usize {
        self.weights.bytes()
    }
}

impl Shape {
    /// Checks that there are kernels for all that a layer does.
    fn check(self) -> Result<(), DeviceError> {
        let Self {
            width,
            heads,
            inner,
        } = self;
        launch::embed_norm(1, width)?;
        launch::add_norm(1, width)?;
        launch::pool(1, width)?;
        launch::bias_activation(1, inner)?;
        launch::multiply(1, inner, width)?;
        launch::multiply(1, width, inner)?;
        launch::multiply(1, 3 * width, width)?;
        let head_size = width.checked_div(heads).unwrap_or(0);
        launch::attention(1, heads, head_size, false)?;
        Ok(())
    }
}
