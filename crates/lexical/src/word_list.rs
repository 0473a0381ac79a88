//! The words of texts as they are written, each with the token that stands for it.
//!
//! Postings know a word by its token, and `run` says little of `running`: who completes `runnin` or corrects `runing`
//! needs the word. So beside its terms each part of an index lists its words: folded as tokens are, endings and all. A
//! key is the word, a zero byte, and how the token is made of it: the number of bytes cut from the end, plus one, and
//! those put in their place. Endings of keys agree as much as their beginnings do, which a transducer makes use of.
//! The documents that hold a word are counted where they are inverted; those that die are counted until the last one
//! that holds the token is purged, as the number decides which of too many words are taken, and nothing else.

use std::sync::OnceLock;

use crate::inverted::HashIndex;
use crate::letters::LetterSets;

/// More bytes cut than a key can say: the token follows whole.
const CUT_ALL: u8 = u8::MAX;

/// Appends the key of a word and its token.
pub(crate) fn push_key(key: &mut Vec<u8>, word: &str, token: &str) {
    let same = word.bytes().zip(token.bytes()).take_while(|(a, b)| a == b);
    let same = same.count();
    let cut = word.len() - same;
    key.extend_from_slice(word.as_bytes());
    key.push(0);
    match u8::try_from(cut + 1) {
        Ok(cut) if cut < CUT_ALL => {
            key.push(cut);
            key.extend_from_slice(&token.as_bytes()[same..]);
        }
        _ => {
            key.push(CUT_ALL);
            key.extend_from_slice(token.as_bytes());
        }
    }
}

/// The word of a key.
pub(crate) fn word_of_key(key: &[u8]) -> &[u8] {
    let zero = key.iter().position(|&byte| byte == 0);
    &key[..zero.unwrap_or(key.len())]
}

/// The token of a key; `None` of bytes that are none.
pub(crate) fn token_of_key(key: &[u8]) -> Option<String> {
    let word = word_of_key(key);
    let (cut, put) = key.get(word.len() + 1..)?.split_first()?;
    let kept = match *cut {
        CUT_ALL => 0,
        cut => (word.len() + 1).checked_sub(usize::from(cut))?,
    };
    String::from_utf8([word.get(..kept)?, put].concat()).ok()
}

/// Keys of words, ascending, each with the number of documents that hold it.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordList {
    keys: Vec<u8>,
    rows: Vec<Row>,
    /// Made when a search first asks for near words.
    letters: OnceLock<LetterSets>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    key_end: u32,
    documents: u32,
}

impl WordList {
    /// Appends a key behind all others.
    pub(crate) fn push(&mut self, key: &[u8], documents: u32) {
        debug_assert!(
            self.rows.is_empty() || self.key(self.rows.len() - 1) < key,
            "keys ascend"
        );
        self.keys.extend_from_slice(key);
        let key_end = u32::try_from(self.keys.len());
        self.rows.push(Row {
            key_end: key_end.expect("words that are inverted together take less than 4 GiB"),
            documents,
        });
    }

    /// The list of keys that ascend, each with its documents.
    pub(crate) fn of_ascending(keys: impl IntoIterator<Item = (String, u32)>) -> WordList {
        let mut list = WordList::default();
        for (key, documents) in keys {
            list.push(key.as_bytes(), documents);
        }
        list.shrink_to_fit();
        list
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.keys.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn key(&self, at: usize) -> &[u8] {
        let from = at.checked_sub(1).map_or(0, |at| self.rows[at].key_end);
        &self.keys[from as usize..self.rows[at].key_end as usize]
    }

    pub(crate) fn documents(&self, at: usize) -> u32 {
        self.rows[at].documents
    }

    /// The letters of each word, by its place.
    pub(crate) fn letters(&self) -> &LetterSets {
        self.letters.get_or_init(|| {
            let words = (0..self.len()).map(|at| word_of_key(self.key(at)));
            // All words are texts; a damaged one is near to nothing.
            LetterSets::of_words(words.map(|word| str::from_utf8(word).unwrap_or_default()))
        })
    }

    /// The documents of a key, 0 where it is not there.
    pub(crate) fn documents_of(&self, key: &[u8]) -> u64 {
        let at = self.lower_bound(key);
        match at < self.len() && self.key(at) == key {
            true => self.documents(at).into(),
            false => 0,
        }
    }

    /// The place of the first key that is not below `from`.
    pub(crate) fn lower_bound(&self, from: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(middle) < from {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The words whose token `is_known`.
    pub(crate) fn of_tokens(&self, is_known: impl Fn(&str) -> bool) -> WordList {
        let mut kept = WordList::default();
        for at in 0..self.len() {
            if token_of_key(self.key(at)).is_some_and(|token| is_known(&token)) {
                kept.push(self.key(at), self.documents(at));
            }
        }
        kept
    }

    /// All words of several lists, whose documents differ.
    pub(crate) fn merge<'a>(lists: impl IntoIterator<Item = &'a WordList>) -> WordList {
        let mut merged = WordList::default();
        let mut words = WordMerge::new(lists);
        while let Some((key, documents)) = words.next_word() {
            merged.push(key, documents);
        }
        merged.shrink_to_fit();
        merged
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let letters = self.letters.get().map_or(0, LetterSets::memory_bytes);
        self.keys.capacity() + self.rows.capacity() * size_of::<Row>() + letters
    }
}

/// Walks the words of several lists in order, the documents of each added up.
pub(crate) struct WordMerge<'a> {
    /// The next place of each list that is not at its end.
    heads: Vec<(&'a WordList, usize)>,
}

impl<'a> WordMerge<'a> {
    pub(crate) fn new(lists: impl IntoIterator<Item = &'a WordList>) -> WordMerge<'a> {
        let heads = lists.into_iter().filter(|list| list.len() > 0);
        WordMerge {
            heads: heads.map(|list| (list, 0)).collect(),
        }
    }

    pub(crate) fn next_word(&mut self) -> Option<(&'a [u8], u32)> {
        let key = self.heads.iter().map(|(list, at)| list.key(*at)).min()?;
        let mut documents = 0_u32;
        self.heads.retain_mut(|(list, at)| {
            if list.key(*at) == key {
                documents = documents.saturating_add(list.documents(*at));
                *at += 1;
            }
            *at < list.len()
        });
        Some((key, documents))
    }
}

/// Counts the words of documents, which come one after the other.
#[derive(Default)]
pub(crate) struct WordCounter {
    index: HashIndex,
    keys: Vec<u8>,
    words: Vec<OpenWord>,
    /// The key at hand.
    key: Vec<u8>,
}

struct OpenWord {
    hash: u32,
    from: usize,
    len: usize,
    documents: u32,
    /// The last document that held it.
    last: u32,
}

impl WordCounter {
    /// Counts a word of a document, once for each.
    pub(crate) fn push(&mut self, word: &str, token: &str, document: u32) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        push_key(&mut key, word, token);
        let hash = crate::inverted::bytes_hash(&key);
        let is_same = |at: usize| {
            let open: &OpenWord = &self.words[at];
            open.hash == hash && self.keys[open.from..][..open.len] == key
        };
        match self.index.find(hash, is_same) {
            Some(at) => {
                let open = &mut self.words[at];
                open.documents += u32::from(open.last != document);
                open.last = document;
            }
            None => self.insert(hash, &key, document),
        }
        self.key = key;
    }

    fn insert(&mut self, hash: u32, key: &[u8], document: u32) {
        if self.index.is_full(self.words.len()) {
            self.index = HashIndex::with_room((self.words.len() * 2).max(64));
            for (at, open) in self.words.iter().enumerate() {
                self.index.insert(open.hash, at);
            }
        }
        self.index.insert(hash, self.words.len());
        self.words.push(OpenWord {
            hash,
            from: self.keys.len(),
            len: key.len(),
            documents: 1,
            last: document,
        });
        self.keys.extend_from_slice(key);
    }

    pub(crate) fn finish(&self) -> WordList {
        let key = |open: &OpenWord| &self.keys[open.from..][..open.len];
        let mut order: Vec<&OpenWord> = self.words.iter().collect();
        order.sort_unstable_by_key(|open| key(open));
        let mut list = WordList {
            keys: Vec::with_capacity(self.keys.len()),
            rows: Vec::with_capacity(order.len()),
            letters: OnceLock::new(),
        };
        for open in order {
            list.push(key(open), open.documents);
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[(&str, &str, u32)]) -> WordList {
        let mut counter = WordCounter::default();
        for (word, token, document) in words {
            counter.push(word, token, *document);
        }
        counter.finish()
    }

    fn rows(list: &WordList) -> Vec<(String, String, u32)> {
        let row = |at| {
            let key = list.key(at);
            let word = String::from_utf8(word_of_key(key).to_vec()).unwrap();
            (word, token_of_key(key).unwrap(), list.documents(at))
        };
        (0..list.len()).map(row).collect()
    }

    #[test]
    fn a_key_tells_word_and_token() {
        let endless = "é".repeat(128);
        for (word, token) in [
            ("running", "run"),
            ("run", "run"),
            ("ponies", "poni"),
            ("mice", "mous"),
            ("йогурты", "йогурт"),
            ("x", "y"),
            (endless.as_str(), "z"),
            (endless.as_str(), endless.as_str()),
        ] {
            let mut key = Vec::new();
            push_key(&mut key, word, token);
            assert_eq!(word_of_key(&key), word.as_bytes());
            assert_eq!(token_of_key(&key).as_deref(), Some(token));
        }
        for damaged in [&b"word"[..], b"word\0", b"wo\0\x09x", b"\0\x01\xff"] {
            assert_eq!(token_of_key(damaged), None, "{damaged:?}");
        }
    }

    #[test]
    fn documents_are_counted_once_for_each_word() {
        let a = list(&[
            ("running", "run", 0),
            ("runs", "run", 0),
            ("running", "run", 0),
            ("running", "run", 2),
        ]);
        let b = list(&[("running", "run", 0), ("running", "running", 0)]);
        let row = |word: &str, token: &str, count| (word.to_owned(), token.to_owned(), count);
        assert_eq!(
            rows(&WordList::merge([&a, &b])),
            [
                row("running", "running", 1),
                row("running", "run", 3),
                row("runs", "run", 1)
            ]
        );
        assert_eq!(rows(&a), [row("running", "run", 2), row("runs", "run", 1)]);
        let known = WordList::merge([&a, &b]).of_tokens(|token| token == "running");
        assert_eq!(rows(&known), [row("running", "running", 1)]);
    }

    #[test]
    fn a_bound_is_the_first_key_that_is_not_below() {
        let list = list(&[("a", "a", 0), ("ab", "ab", 0), ("b", "b", 0)]);
        for (from, place) in [("", 0), ("a", 0), ("aa", 1), ("ab", 1), ("b", 2), ("c", 3)] {
            assert_eq!(list.lower_bound(from.as_bytes()), place, "{from}");
        }
    }
}
