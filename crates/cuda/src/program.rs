//! The texts that NVRTC compiles.

use crate::Element;

const DEVICE: &str = include_str!("../kernels/device.cuh");
const ELEMENT: &str = include_str!("../kernels/element.cuh");
const ROWS: &str = include_str!("../kernels/rows.cu");
const ATTENTION: &str = include_str!("../kernels/attention.cu");
const PRODUCT: &str = include_str!("../kernels/product.cu");
const NEAREST: &str = include_str!("../kernels/nearest.cu");

/// Options of every compilation, beside `--gpu-architecture`.
pub const OPTIONS: [&str; 1] = ["--std=c++17"];

/// Kernels that are compiled together, and need no header beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Those of encoders, for one type of element.
    Encoder(Element),
    /// The products of matrices, for where cuBLASLt is not found.
    Product(Element),
    /// Those of the exact search for the nearest, in f32.
    Nearest,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Encoder(Element::F16),
        Self::Encoder(Element::Bf16),
        Self::Product(Element::F16),
        Self::Product(Element::Bf16),
        Self::Nearest,
    ];

    /// Its name in messages of the compiler.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encoder(Element::F16) => "encoder_f16.cu",
            Self::Encoder(Element::Bf16) => "encoder_bf16.cu",
            Self::Product(Element::F16) => "product_f16.cu",
            Self::Product(Element::Bf16) => "product_bf16.cu",
            Self::Nearest => "nearest.cu",
        }
    }

    /// Its kernels.
    pub fn kernels(self) -> &'static [&'static str] {
        match self {
            Self::Encoder(_) => &[
                "embed_norm",
                "add_norm",
                "bias_activation",
                "attention_32",
                "attention_64",
                "attention_32_offsets",
                "attention_64_offsets",
                "pool",
                "convert",
                "convert_transposed",
            ],
            Self::Product(_) => &["multiply_128", "multiply_32"],
            Self::Nearest => &["nearness", "best", "merge"],
        }
    }

    /// Tells whether it compiles for a compute capability, `75` being 7.5.
    pub fn runs_on(self, capability: u32) -> bool {
        match self {
            Self::Encoder(Element::Bf16) | Self::Product(Element::Bf16) => capability >= 80,
            _ => capability >= 75,
        }
    }

    /// Its text. Messages name the files that it is put together from.
    pub fn source(self) -> String {
        let element = match self {
            Self::Encoder(element) | Self::Product(element) => Some(element),
            Self::Nearest => None,
        };
        let files: &[_] = match self {
            Self::Encoder(_) => &[
                ("element.cuh", ELEMENT),
                ("rows.cu", ROWS),
                ("attention.cu", ATTENTION),
            ],
            Self::Product(_) => &[("element.cuh", ELEMENT), ("product.cu", PRODUCT)],
            Self::Nearest => &[("nearest.cu", NEAREST)],
        };
        let mut text = match element {
            Some(Element::F16) => "#define ELEMENT_IS_BF16 0\n".to_owned(),
            Some(Element::Bf16) => "#define ELEMENT_IS_BF16 1\n".to_owned(),
            None => String::new(),
        };
        for (name, file) in [("device.cuh", DEVICE)].iter().chain(files) {
            text.push_str(&format!("#line 1 \"{name}\"\n{file}\n"));
        }
        text
    }
}
