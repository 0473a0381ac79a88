//! A segment written from lists is the one that tantivy's own writer makes of the same tokens.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tantivy::tokenizer::{PreTokenizedString, Token, TokenizerManager, WhitespaceTokenizer};

use super::super::schema::{LENGTHS, ORDINAL, SLOT_TOKENIZER, SPACE_TOKENIZER, field_term};
use super::*;
use crate::analysis::{Analysis, Analyzer, FieldAnalysis};
use crate::inverted::InvertedBatch;
use crate::positions::Positions;

const WORDS: [&str; 5] = ["red", "dog", "12345678", "手", "机"];
const FIELDS: [&str; 3] = ["title", "body", "tag"];

/// Texts by slot, each field at most once.
type Document = Vec<(usize, String)>;

fn document() -> impl Strategy<Value = Document> {
    let text = || vec(select(&WORDS[..]), 0..6).prop_map(|words| words.join(" "));
    let texts = (text(), text(), text());
    (texts, any::<[bool; 3]>()).prop_map(|((a, b, c), present)| {
        let fields = [a, b, c].into_iter().enumerate();
        fields.filter(|(slot, _)| present[*slot]).collect()
    })
}

fn inverted(documents: &[Document], base: u32) -> Inverted {
    let pairs = documents.iter().map(|document| {
        let pairs = document.iter();
        pairs.map(|(slot, text)| (FIELDS[*slot], text.as_str()))
    });
    let batch = InvertedBatch::new(
        &mut Analyzer::default(),
        |_| FieldAnalysis::default(),
        pairs,
    );
    let slot = |field: u32| {
        FIELDS
            .iter()
            .position(|name| *name == batch.names()[field as usize])
    };
    let slot = |field| slot(field).unwrap() as u32;
    batch
        .inverted()
        .renumbered(|row| Some(base + 2 * row), slot)
}

/// As tantivy's writer makes it of tokens and their positions.
fn write_with_tantivy(dir: &Path, documents: &[(u32, &Document)]) {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(SLOT_TOKENIZER, WhitespaceTokenizer::default());
    tokenizers.register(SPACE_TOKENIZER, WhitespaceTokenizer::default());
    let mut writer = Index::builder()
        .schema(schema())
        .settings(settings())
        .tokenizers(tokenizers)
        .single_segment_index_writer(UnsyncedDirectory::open(dir).unwrap(), 16 << 20)
        .unwrap();
    for (ordinal, document) in documents {
        writer.add_document(tokenized(*ordinal, document)).unwrap();
    }
    writer.finalize().unwrap();
}

fn tokenized(ordinal: u32, document: &Document) -> TantivyDocument {
    let mut out = TantivyDocument::new();
    out.add_u64(ORDINAL, ordinal.into());
    let (mut tokens, mut distinct) = (Vec::new(), BTreeSet::new());
    for (slot, text) in document {
        let mut positions = Positions::default();
        for token in Analyzer::default().tokens(text, Analysis::default()) {
            positions.push(&token, &mut String::new(), |position, token| {
                tokens.push(Token {
                    position: position as usize,
                    text: field_term(token, *slot as Slot),
                    ..Token::default()
                });
                distinct.insert(token.to_owned());
            });
        }
        if positions.count() > 0 {
            let length = positions.count() as u16;
            out.add_u64(LENGTHS, pack_length(*slot as Slot, length));
        }
    }
    if !distinct.is_empty() {
        // One value for all fields: tantivy would begin a second where the first one ends.
        let text = String::new();
        out.add_pre_tokenized_text(TEXT, PreTokenizedString { text, tokens });
        let any: Vec<String> = distinct.into_iter().collect();
        out.add_text(ANY, any.join(" "));
    }
    out
}

/// The files of the only segment in `dir` by their content.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kind = |path: &PathBuf| {
        path.extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let files = entries.map(|path| (kind(&path), std::fs::read(path).unwrap()));
    files
        .filter(|(kind, _)| !kind.is_empty() && kind != "json")
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn lists_are_written_byte_for_byte_as_tantivy_writes_documents(
        parts in vec(vec(document(), 1..80), 1..6),
        dead_one_in in proptest::option::of(2..5_u32),
    ) {
        let (mut delta, mut alive) = (Delta::new(7), Vec::new());
        let mut base = 7;
        for part in &parts {
            delta.push(inverted(part, base));
            for document in part {
                match dead_one_in.is_some_and(|one_in| base % one_in == 0) {
                    true => { Arc::make_mut(&mut delta.dead).insert(base - 7); }
                    false => alive.push((base, document)),
                }
                base += 2;
            }
        }
        prop_assume!(!alive.is_empty());
        let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write_segment(UnsyncedDirectory::open(ours.path()).unwrap(), &delta).unwrap();
        write_with_tantivy(theirs.path(), &alive);
        let (ours, theirs) = (files(ours.path()), files(theirs.path()));
        let kinds = ["fast", "fieldnorm", "idx", "pos", "store", "term"];
        prop_assert!(ours.keys().eq(kinds));
        for kind in kinds {
            prop_assert!(ours[kind] == theirs[kind], "the {} files differ", kind);
        }
    }
}
