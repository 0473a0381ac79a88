//! Models as data: the layers of an encoder, and how they are found in a graph.
//!
//! `meaning/` goes through a graph in the order of its nodes and gives every value a meaning ([`value`]), as the graph computes
//! it for one text without padding: shapes are known but for the number of tokens, masks are ones. An operator that makes
//! nothing known of what it is given ends it. `layers` then reads the meaning of the output from its end to its begin. So a
//! model that passes is the one that `forward` computes, however its export spells it.

mod layers;
mod meaning;
mod value;

pub(crate) use layers::{
    Activation, Architecture, BiasPlan, LAYERS_MAX, LayerPlan, Lookup, NormPlan, ProductPlan,
    WIDTH_MAX, architecture,
};
pub(crate) use value::{Index, REACH, Weight};
