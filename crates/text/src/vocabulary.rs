//! Vocabularies, read from their file without a tree of it in between: half of the time of a load went there.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::BPE;
use tokenizers::models::unigram::Unigram;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::{
    DecoderWrapper, Model, ModelWrapper, NormalizerWrapper, PostProcessorWrapper,
    PreTokenizerWrapper, Token, TokenizerImpl,
};

/// The whole of a `tokenizer.json`.
pub(crate) type Vocabulary = TokenizerImpl<
    Pieces,
    NormalizerWrapper,
    PreTokenizerWrapper,
    PostProcessorWrapper,
    DecoderWrapper,
>;

/// The pieces that words are cut into.
pub(crate) struct Pieces(ModelWrapper);

/// The member that tells one kind of pieces from another.
#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
}

impl<'de> Deserialize<'de> for Pieces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        // Members that are not as they should be are left to the library: it knows older forms, too.
        let read = match of_known_kind(json) {
            Some(read) => read,
            None => serde_json::from_str(json).map_err(D::Error::custom)?,
        };
        Ok(Self(read))
    }
}

fn of_known_kind(json: &str) -> Option<ModelWrapper> {
    let tag: Tag<'_> = serde_json::from_str(json).ok()?;
    match tag.kind?.as_ref() {
        "WordPiece" => serde_json::from_str::<WordPiece>(json).ok().map(Into::into),
        "BPE" => serde_json::from_str::<BPE>(json).ok().map(Into::into),
        "Unigram" => serde_json::from_str::<Unigram>(json).ok().map(Into::into),
        _ => None,
    }
}

impl Model for Pieces {
    type Trainer = TrainerWrapper;

    fn tokenize(&self, sequence: &str) -> tokenizers::Result<Vec<Token>> {
        self.0.tokenize(sequence)
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        self.0.token_to_id(token)
    }

    fn id_to_token(&self, id: u32) -> Option<String> {
        self.0.id_to_token(id)
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        self.0.get_vocab()
    }

    fn get_vocab_size(&self) -> usize {
        self.0.get_vocab_size()
    }

    fn save(&self, folder: &Path, prefix: Option<&str>) -> tokenizers::Result<Vec<PathBuf>> {
        self.0.save(folder, prefix)
    }

    fn get_trainer(&self) -> TrainerWrapper {
        self.0.get_trainer()
    }
}
