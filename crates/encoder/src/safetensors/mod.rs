//! Weights in safetensors with the `config.json` beside them, as transformers writes both: the layers of an encoder without
//! a graph, by the names of its tensors.
//!
//! `config` reads what the computation depends on and refuses what no known encoder has; [`family`] has the names of each
//! architecture; `weights` finds the tensors, each with the shape that the configuration says. A tensor of the encoder
//! that nothing asks for is a part that is not known here, and refused too.

mod buckets;
mod config;
mod family;
mod weights;

pub(crate) use weights::header;

use crate::Refusal;
use crate::bytes::OpenFile;
use crate::model::{Activation, Architecture, BiasPlan, Index, LayerPlan, Lookup};
use config::Config;
use family::Places;
use weights::Weights;

/// Tells whether a configuration is of an encoder that is known here.
///
/// # Errors
/// [`Refusal`] when it is not.
pub(crate) fn check(config: &[u8]) -> Result<(), Refusal> {
    Config::read(config).map(drop)
}

/// The architecture of weights with this configuration.
///
/// # Errors
/// [`Refusal`] when one of them is damaged, they do not fit each other, or the model is none that is known here.
pub(crate) fn architecture<'a>(
    file: &'a OpenFile,
    header: &[u8],
    config: &[u8],
) -> Result<Architecture<'a>, Refusal> {
    let Config {
        family,
        width,
        heads,
        layers,
        inner,
        vocabulary,
        positions,
        kinds,
        padding,
        epsilon,
        buckets,
    } = Config::read(config)?;
    let names = &family.names;
    let mut weights = Weights::of(file, header, family, epsilon)?;
    let place = match family.places {
        Places::FromNought => Index::Place,
        Places::AfterPadding => Index::PlaceAfter { padding },
    };
    let mut lookups = vec![
        Lookup {
            table: weights.matrix(names.words, [vocabulary, width])?,
            index: Index::Id,
        },
        Lookup {
            table: weights.matrix(names.places, [positions, width])?,
            index: place,
        },
    ];
    if let Some(name) = names.kinds {
        lookups.push(Lookup {
            table: weights.matrix(name, [kinds, width])?,
            index: Index::Fixed(0),
        });
    }
    let norm = weights.norm(names.norm, width)?;
    let bias = match family.bias {
        None => None,
        Some(name) => Some(BiasPlan {
            table: weights.matrix(name, [buckets, heads])?,
            rows: buckets::rows(buckets),
        }),
    };
    let layers = (0..layers).map(|number| {
        let mut part = |name: &str, depth, columns| {
            weights.product(&format!("{}.{number}.{name}", names.layers), depth, columns)
        };
        let query = part(names.query, width, width)?;
        let key = part(names.key, width, width)?;
        let value = part(names.value, width, width)?;
        let out = part(names.out, width, width)?;
        let up = part(names.up, width, inner)?;
        let down = part(names.down, inner, width)?;
        let mut norm =
            |name: &str| weights.norm(&format!("{}.{number}.{name}", names.layers), width);
        Ok(LayerPlan {
            query,
            key,
            value,
            factor: 1.0 / ((width / heads) as f32).sqrt(),
            out,
            attention_norm: norm(names.attention_norm)?,
            up,
            activation: Activation::Gelu,
            down,
            norm: norm(names.last_norm)?,
        })
    });
    let layers = layers.collect::<Result<_, Refusal>>()?;
    Ok(Architecture {
        width,
        heads,
        lookups,
        bias,
        norm,
        layers,
        tensors: weights.finish()?,
    })
}
