//! The encoder of a call, wherever it computes.

use std::sync::Arc;

use crate::{DeviceEncoder, Encoded, Pooling, Scratch, TextEncoder, Texts, UntakenTexts};

/// The encoder that makes the vectors of a call.
#[derive(Clone)]
pub enum CallEncoder {
    /// On the processor.
    Processor(Arc<TextEncoder>),
    /// On a device.
    Device(Arc<DeviceEncoder>),
}

impl CallEncoder {
    /// The one on the processor, which both have.
    pub fn on_processor(&self) -> &Arc<TextEncoder> {
        match self {
            Self::Processor(encoder) => encoder,
            Self::Device(encoder) => encoder.on_processor(),
        }
    }

    /// Tells whether both are the same, whose texts may be computed together.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Processor(one), Self::Processor(other)) => Arc::ptr_eq(one, other),
            (Self::Device(one), Self::Device(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    pub(super) fn encode(
        &self,
        texts: Texts<'_>,
        pooling: Pooling,
        scratch: &mut Scratch,
    ) -> Result<Encoded, UntakenTexts> {
        match self {
            Self::Processor(encoder) => Ok(Encoded {
                vectors: encoder.encode(texts, pooling, scratch)?,
                fault: None,
            }),
            Self::Device(encoder) => encoder.encode(texts, pooling, scratch),
        }
    }
}

impl From<Arc<TextEncoder>> for CallEncoder {
    fn from(encoder: Arc<TextEncoder>) -> Self {
        Self::Processor(encoder)
    }
}

impl From<Arc<DeviceEncoder>> for CallEncoder {
    fn from(encoder: Arc<DeviceEncoder>) -> Self {
        Self::Device(encoder)
    }
}
