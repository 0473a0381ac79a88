//! Text before a model: `class Tokenizer` and `chunk`; and the stand-in for a model,
//! `randomVectors`.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use pelorus_text::{ChunkMethod, ChunkSpec, SentenceRule};

use crate::bytes::{ChunkParts, Encoded, Floats, InputFailure, Integers, Offsets, RawValue};
use crate::error::{CodedError, answer};
use crate::inputs::InputBatch;
use crate::pool::Lane;
use crate::promise;

/// The steps that clean a text before it is cut into tokens. `none`: nothing; `whitespace`: plain characters,
/// references resolved, blanks made one; `lower`: that in lower case; `canonicalize`: that without ASCII punctuation.
#[napi(string_enum = "lowercase")]
pub enum TextCleaning {
    None,
    Whitespace,
    Lower,
    Canonicalize,
}

impl From<TextCleaning> for pelorus_text::Cleaning {
    fn from(cleaning: TextCleaning) -> Self {
        match cleaning {
            TextCleaning::None => Self::None,
            TextCleaning::Whitespace => Self::Whitespace,
            TextCleaning::Lower => Self::Lower,
            TextCleaning::Canonicalize => Self::Canonicalize,
        }
    }
}

/// The differences of a joint model's tokenizer from its file.
#[napi(object, object_to_js = false)]
pub struct TokenizerOptions {
    /// Default `none`.
    pub cleaning: Option<TextCleaning>,
    /// Id 0 in place of the separator `[SEP]`. Default false.
    pub omits_separator: Option<bool>,
}

/// A model's tokenizer.
#[napi]
pub struct Tokenizer {
    tokenizer: Arc<pelorus_text::Tokenizer>,
}

impl Tokenizer {
    pub(crate) fn shared(&self) -> Arc<pelorus_text::Tokenizer> {
        Arc::clone(&self.tokenizer)
    }
}

#[napi]
impl Tokenizer {
    /// Reads a `tokenizer.json`. `maxTokens` counts special tokens. Rejects with `invalid_argument`.
    #[napi(catch_unwind, ts_return_type = "Promise<Tokenizer>")]
    pub fn load(
        env: &Env,
        json: &[u8],
        max_tokens: u32,
        options: Option<TokenizerOptions>,
    ) -> napi::Result<RawValue> {
        let json = json.to_vec();
        // A vocabulary of some megabytes takes a while to read.
        promise::run(env, Lane::Interactive, move || {
            let tokenizer = pelorus_text::Tokenizer::from_bytes(&json, max_tokens as usize)
                .map_err(|error| CodedError::invalid_argument(error.to_string()))?;
            Ok(Tokenizer {
                tokenizer: Arc::new(adapted(tokenizer, options)),
            })
        })
    }

    /// Id that fills a text up to the length of its batch.
    #[napi(getter, catch_unwind)]
    pub fn pad_id(&self) -> u32 {
        self.tokenizer.pad_id()
    }

    /// Id of the token that ends the first text of a pair, where the tokens behind it are of another type; null for
    /// tokenizers that tell no types apart. Throws `invalid_argument` where no pair can be encoded.
    #[napi(catch_unwind)]
    pub fn pair_separator(&self, env: &Env) -> napi::Result<Option<u32>> {
        answer(env, || {
            let separator = self.tokenizer.pair_separator();
            separator.map_err(|error| CodedError::invalid_argument(error.to_string()))
        })
    }

    /// Encodes pairs of one text and each of others, with the special tokens of a pair, each cut to `maxTokens`.
    #[napi(catch_unwind, ts_return_type = "Promise<Encoded>")]
    pub fn encode_pairs(
        &self,
        env: &Env,
        first: String,
        seconds: Vec<String>,
    ) -> napi::Result<RawValue> {
        let tokenizer = self.shared();
        promise::run(env, Lane::Interactive, move || {
            let mut encoded = EncodedRows::default();
            for second in &seconds {
                match tokenizer.encode_pair(&first, second) {
                    Ok(encoding) => encoded.add(&encoding),
                    Err(error) => encoded.fail(error.to_string()),
                }
            }
            Ok(encoded.finish(Vec::new()))
        })
    }

    /// Encodes texts with special tokens, each cut to `maxTokens`, and chunks, in parts where they have more.
    #[napi(catch_unwind, ts_return_type = "Promise<Encoded>")]
    pub fn encode(&self, env: &Env, inputs: &mut InputBatch) -> napi::Result<RawValue> {
        let tokenizer = self.shared();
        let texts = answer(env, || inputs.take_text_inputs())?;
        promise::run(env, Lane::Interactive, move || {
            Ok(encode(&tokenizer, &texts))
        })
    }
}

fn adapted(
    tokenizer: pelorus_text::Tokenizer,
    options: Option<TokenizerOptions>,
) -> pelorus_text::Tokenizer {
    let Some(TokenizerOptions {
        cleaning,
        omits_separator,
    }) = options
    else {
        return tokenizer;
    };
    let tokenizer = tokenizer.with_cleaning(cleaning.map_or_else(Default::default, Into::into));
    if omits_separator == Some(true) {
        tokenizer.with_separator_omitted()
    } else {
        tokenizer
    }
}

pub(crate) fn encode(
    tokenizer: &pelorus_text::Tokenizer,
    texts: &[(String, Option<usize>)],
) -> Encoded {
    let mut rows = EncodedRows::default();
    let mut parts = Vec::new();
    for (row, (text, prefix)) in texts.iter().enumerate() {
        let encoded = match prefix {
            Some(prefix) => tokenizer.encode_in_parts(text, *prefix),
            None => tokenizer
                .encode(text)
                .map(|encoding| vec![pelorus_text::Part { text, encoding }]),
        };
        match encoded {
            Ok(found) => {
                for part in &found {
                    rows.add(&part.encoding);
                }
                if found.len() > 1 {
                    parts.push(ChunkParts {
                        row: row as u32,
                        chunks: found.iter().map(|part| part.text.to_owned()).collect(),
                    });
                }
            }
            Err(error) => rows.fail(error.to_string()),
        }
    }
    rows.finish(parts)
}

/// Token ids, row after row.
struct EncodedRows {
    ids: Vec<i32>,
    /// The end of each row, behind a 0.
    offsets: Vec<u32>,
    failures: Vec<InputFailure>,
}

impl Default for EncodedRows {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            offsets: vec![0],
            failures: Vec::new(),
        }
    }
}

impl EncodedRows {
    fn add(&mut self, encoding: &pelorus_text::Encoding) {
        // Vocabularies have far fewer than 2^31 entries.
        self.ids.extend(encoding.ids.iter().map(|&id| id as i32));
        self.offsets.push(self.ids.len() as u32);
    }

    /// An empty row.
    fn fail(&mut self, message: String) {
        self.failures.push(InputFailure {
            row: (self.offsets.len() - 1) as u32,
            message,
        });
        self.offsets.extend(self.offsets.last().copied());
    }

    fn finish(self, parts: Vec<ChunkParts>) -> Encoded {
        Encoded {
            ids: Integers(self.ids),
            offsets: Offsets(self.offsets),
            failures: self.failures,
            parts,
        }
    }
}

/// Splits a text into windows, as new indexes do; `splitMethod` is `character`, `word`, `sentence` or `passage`.
#[napi(catch_unwind)]
pub fn chunk(
    env: &Env,
    text: String,
    split_method: String,
    split_length: u32,
    split_overlap: u32,
) -> napi::Result<Vec<String>> {
    answer(env, || {
        let invalid =
            |error: pelorus_text::ChunkError| CodedError::invalid_argument(error.to_string());
        let method: ChunkMethod = split_method.parse().map_err(invalid)?;
        let spec = ChunkSpec::new(method, split_length as usize, split_overlap as usize);
        let spec = spec
            .map_err(invalid)?
            .with_sentences(SentenceRule::EveryScript);
        Ok(pelorus_text::chunk(&text, &spec))
    })
}

/// Unit vectors that depend on the input alone, `[inputs, dim]`: a model without meaning.
#[napi(catch_unwind, ts_return_type = "Promise<Float32Array<ArrayBuffer>>")]
pub fn random_vectors(env: &Env, inputs: &mut InputBatch, dim: u32) -> napi::Result<RawValue> {
    let texts = answer(env, || inputs.take_text_inputs())?;
    promise::run(env, Lane::Interactive, move || {
        let vector = |(text, _): &(String, _)| pelorus_embed::random_vector(text, dim as usize);
        Ok(Floats(texts.iter().flat_map(vector).collect()))
    })
}
