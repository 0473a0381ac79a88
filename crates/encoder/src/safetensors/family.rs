//! Architectures that transformers writes, and the names that they have there.

/// The rows of the table of positions.
#[derive(Clone, Copy)]
pub(super) enum Places {
    /// From the first on.
    FromNought,
    /// After that of padding, counted over tokens that are no padding.
    AfterPadding,
}

/// An architecture by its `model_type`.
pub(super) struct Family {
    pub(super) types: &'static [&'static str],
    /// Before the names of an encoder that has a head; none before those of one alone.
    pub(super) prefixes: &'static [&'static str],
    pub(super) places: Places,
    /// The id of padding where the configuration does not say.
    pub(super) padding: i64,
    pub(super) keys: Keys,
    pub(super) names: Names,
    /// The table of biases by distance, which all layers share.
    pub(super) bias: Option<&'static str>,
    /// The begins of the names of tensors that hidden states do not depend on.
    pub(super) beside: &'static [&'static str],
}

/// Names in the configuration.
pub(super) struct Keys {
    pub(super) width: &'static str,
    pub(super) heads: &'static str,
    pub(super) layers: &'static str,
    pub(super) inner: &'static str,
    pub(super) activation: &'static str,
    /// None where it is always 1e-12.
    pub(super) epsilon: Option<&'static str>,
}

/// Names of tensors, without `.weight` and `.bias`; those of a layer after its number.
pub(super) struct Names {
    pub(super) words: &'static str,
    pub(super) places: &'static str,
    /// The table of the kinds of token, of which all tokens are the first.
    pub(super) kinds: Option<&'static str>,
    pub(super) norm: &'static str,
    pub(super) layers: &'static str,
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) out: &'static str,
    pub(super) attention_norm: &'static str,
    pub(super) up: &'static str,
    pub(super) down: &'static str,
    pub(super) last_norm: &'static str,
}

const KEYS: Keys = Keys {
    width: "hidden_size",
    heads: "num_attention_heads",
    layers: "num_hidden_layers",
    inner: "intermediate_size",
    activation: "hidden_act",
    epsilon: Some("layer_norm_eps"),
};

const NAMES: Names = Names {
    words: "embeddings.word_embeddings",
    places: "embeddings.position_embeddings",
    kinds: Some("embeddings.token_type_embeddings"),
    norm: "embeddings.LayerNorm",
    layers: "encoder.layer",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    out: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    up: "intermediate.dense",
    down: "output.dense",
    last_norm: "output.LayerNorm",
};

/// Every architecture that is known.
pub(super) const FAMILIES: [Family; 4] = [
    Family {
        types: &["bert"],
        prefixes: &["bert."],
        places: Places::FromNought,
        padding: 0,
        keys: KEYS,
        names: NAMES,
        bias: None,
        beside: &[
            "pooler.",
            "embeddings.position_ids",
            "embeddings.token_type_ids",
        ],
    },
    Family {
        types: &["roberta", "xlm-roberta", "camembert"],
        prefixes: &["roberta."],
        places: Places::AfterPadding,
        padding: 1,
        keys: KEYS,
        names: NAMES,
        bias: None,
        beside: &[
            "pooler.",
            "embeddings.position_ids",
            "embeddings.token_type_ids",
        ],
    },
    Family {
        types: &["distilbert"],
        prefixes: &["distilbert."],
        places: Places::FromNought,
        padding: 0,
        keys: Keys {
            width: "dim",
            heads: "n_heads",
            layers: "n_layers",
            inner: "hidden_dim",
            activation: "activation",
            epsilon: None,
        },
        names: Names {
            kinds: None,
            layers: "transformer.layer",
            query: "attention.q_lin",
            key: "attention.k_lin",
            value: "attention.v_lin",
            out: "attention.out_lin",
            attention_norm: "sa_layer_norm",
            up: "ffn.lin1",
            down: "ffn.lin2",
            last_norm: "output_layer_norm",
            ..NAMES
        },
        bias: None,
        beside: &["embeddings.position_ids"],
    },
    Family {
        types: &["mpnet"],
        prefixes: &["mpnet."],
        places: Places::AfterPadding,
        padding: 1,
        keys: KEYS,
        names: Names {
            kinds: None,
            query: "attention.attn.q",
            key: "attention.attn.k",
            value: "attention.attn.v",
            out: "attention.attn.o",
            attention_norm: "attention.LayerNorm",
            ..NAMES
        },
        bias: Some("encoder.relative_attention_bias"),
        beside: &["pooler.", "embeddings.position_ids"],
    },
];
