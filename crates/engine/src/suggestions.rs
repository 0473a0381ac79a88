//! Queries that an index suggests: how they are stored, put, read and removed.
//!
//! They lie in the store beside the documents and are written by the same writer; the searched form
//! (`pelorus_suggest`) is derived from them and held in memory. An index that is kept elsewhere
//! has the public parts in common.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use pelorus_columns::composed;
use pelorus_documents::length_prefixed::{Reader, push_text};
use pelorus_excerpt::truncated;
use pelorus_lexical::WordAnalyzer;
use pelorus_store::{ReadView, StoreError};
use pelorus_suggest::{Query, SuggestRequest, Suggestions, key_of};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{EngineError, Result};
use crate::generated::EngineOptions;
use crate::read::response::{ItemsResponse, check_answer_size, write_text};

pub use crate::generated::{PutQueriesRequest, QueriesRequest, ScanQueriesRequest, SuggestPlan};

/// Most characters of a query: nobody types a longer search.
const QUERY_CHARS_MAX: usize = 256;

/// Most bytes of the metadata of a query, as JSON.
const METADATA_BYTES_MAX: usize = 4_096;

/// A query as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredQuery {
    pub query: Query,
    /// In seconds since 1970.
    pub updated_at: u64,
}

impl StoredQuery {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&self.query.popularity.to_le_bytes());
        bytes.extend_from_slice(&self.updated_at.to_le_bytes());
        push_text(&mut bytes, &self.query.text);
        push_text(&mut bytes, &self.query.metadata);
        bytes
    }

    /// # Errors
    /// `backend_data_parsing_error` for bytes that [`encode`](Self::encode) did not make.
    pub(crate) fn decode(key: &str, bytes: &[u8]) -> Result<Self> {
        let read = || {
            let (popularity, rest) = bytes.split_first_chunk()?;
            let (updated_at, rest) = rest.split_first_chunk()?;
            let mut reader = Reader::new(rest);
            let query = Query {
                popularity: f64::from_le_bytes(*popularity),
                text: reader.text()?.to_owned(),
                metadata: reader.text()?.to_owned(),
            };
            reader.rest().is_empty().then_some(Self {
                query,
                updated_at: u64::from_le_bytes(*updated_at),
            })
        };
        read().ok_or_else(|| {
            EngineError::from(StoreError::Damaged {
                place: format!("suggestions[{key:?}]"),
                reason: "not a query".to_owned(),
            })
        })
    }
}

/// The queries of a store, ready to be suggested.
pub(crate) fn load(read: &ReadView) -> Result<Suggestions> {
    let mut queries = Vec::new();
    read.scan_suggestions(|key, bytes| {
        queries.push(StoredQuery::decode(key, bytes)?.query);
        Ok::<_, EngineError>(())
    })?;
    Ok(Suggestions::of(queries))
}

/// The changes that a job makes to the queries of an index.
pub enum QueryChanges {
    Put(Vec<PutQuery>),
    /// Those with these keys.
    Remove(Vec<String>),
    RemoveAll,
}

/// A query of a request, or why it is refused.
pub type PutQuery = std::result::Result<KeyedQuery, QueryError>;

/// A query that may be stored.
pub struct KeyedQuery {
    /// As `pelorus_suggest::key_of` gives it.
    pub key: String,
    pub stored: StoredQuery,
}

/// The reason that a query is refused, as the answer has it.
#[derive(Debug, Serialize)]
pub struct QueryError {
    query: String,
    message: String,
    code: u16,
}

impl QueryError {
    fn new(query: &str, message: impl Into<String>) -> Self {
        Self {
            query: truncated(query).into_owned(),
            message: message.into(),
            code: 400,
        }
    }
}

impl QueryChanges {
    /// Changes of the store.
    pub(crate) fn operations(&self) -> usize {
        match self {
            Self::Put(queries) => queries.iter().flatten().count(),
            Self::Remove(keys) => keys.len(),
            Self::RemoveAll => 1,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Put(queries) => {
                let queries = queries.iter().flatten();
                queries
                    .map(|one| one.key.len() + one.stored.query.bytes())
                    .sum()
            }
            Self::Remove(keys) => keys.iter().map(String::len).sum(),
            Self::RemoveAll => 0,
        }
    }

    /// Tells whether it takes room, rather than making some.
    pub(crate) fn is_adding(&self) -> bool {
        matches!(self, Self::Put(_))
    }
}

/// Checks the queries of a request one by one. The first of several with one key counts.
pub fn checked(request: PutQueriesRequest) -> Vec<PutQuery> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let updated_at = since.map_or(0, |since| since.as_secs());
    let mut analyzer = WordAnalyzer::new();
    let mut firsts: HashMap<String, String> = HashMap::new();
    let queries = request.queries.into_iter().map(|one| {
        let query = Query {
            text: one.query.trim().to_owned(),
            popularity: one.popularity,
            metadata: one.metadata,
        };
        check_size(&query)?;
        if analyzer.words(&query.text).is_empty() {
            return Err(QueryError::new(
                &query.text,
                "No tokens generated for query",
            ));
        }
        let key = key_of(&query.text);
        if let Some(first) = firsts.get(&key) {
            let first = truncated(first);
            let message = format!("Query is duplicate of {first} after normalisation, will ignore");
            return Err(QueryError::new(&query.text, message));
        }
        firsts.insert(key.clone(), query.text.clone());
        let stored = StoredQuery { query, updated_at };
        Ok(KeyedQuery { key, stored })
    });
    queries.collect()
}

fn check_size(query: &Query) -> std::result::Result<(), QueryError> {
    let chars = composed(&query.text).chars().count();
    if chars > QUERY_CHARS_MAX {
        let message =
            format!("A query has at most {QUERY_CHARS_MAX} characters, but this one has {chars}");
        return Err(QueryError::new(&query.text, message));
    }
    let bytes = query.metadata.len();
    if bytes > METADATA_BYTES_MAX {
        let message = format!(
            "The metadata of a query has at most {METADATA_BYTES_MAX} bytes as JSON, but these have {bytes}"
        );
        return Err(QueryError::new(&query.text, message));
    }
    Ok(())
}

/// The number of queries that an index suggests, as each change of a group finds it.
pub struct QueryLimits<'a> {
    suggestions: &'a Suggestions,
    limits: &'a EngineOptions,
    /// The bytes of single queries after the group's changes, none where they were removed.
    changed: HashMap<String, Option<usize>>,
    is_cleared: bool,
    count: usize,
    bytes: usize,
}

impl<'a> QueryLimits<'a> {
    /// Begins with the queries that are suggested now.
    pub fn new(suggestions: &'a Suggestions, limits: &'a EngineOptions) -> Self {
        Self {
            suggestions,
            limits,
            changed: HashMap::new(),
            is_cleared: false,
            count: suggestions.len(),
            bytes: suggestions.bytes(),
        }
    }

    /// Notes the changes of a job, and refuses the queries that there is no room for.
    pub fn admit(&mut self, changes: &mut QueryChanges) {
        match changes {
            QueryChanges::Put(queries) => {
                for item in queries {
                    if let Ok(query) = item
                        && let Err(error) = self.take(query)
                    {
                        *item = Err(error);
                    }
                }
            }
            QueryChanges::Remove(keys) => {
                for key in keys {
                    if let Some(bytes) = self.bytes_of(key) {
                        self.count -= 1;
                        self.bytes -= bytes;
                        self.changed.insert(key.clone(), None);
                    }
                }
            }
            QueryChanges::RemoveAll => {
                self.changed.clear();
                self.is_cleared = true;
                (self.count, self.bytes) = (0, 0);
            }
        }
    }

    fn bytes_of(&self, key: &str) -> Option<usize> {
        match self.changed.get(key) {
            Some(bytes) => *bytes,
            None if self.is_cleared => None,
            None => self.suggestions.bytes_of(key),
        }
    }

    fn take(
        &mut self,
        KeyedQuery { key, stored }: &KeyedQuery,
    ) -> std::result::Result<(), QueryError> {
        let query = &stored.query;
        let old = self.bytes_of(key);
        let count = self.count + usize::from(old.is_none());
        let bytes = self.bytes - old.unwrap_or(0) + query.bytes();
        let refused = |what: &str, most: usize, setting: &Option<String>| {
            let setting = setting.as_ref().map(|name| format!(" ({name})"));
            let setting = setting.unwrap_or_default();
            let message = format!(
                "The index suggests as many queries as it may: at most {most}{what}{setting}. Delete some first"
            );
            Err(QueryError::new(&query.text, message))
        };
        let EngineOptions {
            suggestions_max,
            suggestion_bytes_max,
            suggestions_setting,
            suggestion_bytes_setting,
            ..
        } = self.limits;
        if count > *suggestions_max && old.is_none() {
            return refused("", *suggestions_max, suggestions_setting);
        }
        if bytes > *suggestion_bytes_max && bytes > self.bytes {
            let what = " bytes of texts and metadata";
            return refused(what, *suggestion_bytes_max, suggestion_bytes_setting);
        }
        (self.count, self.bytes) = (count, bytes);
        self.changed.insert(key.clone(), Some(query.bytes()));
        Ok(())
    }
}

/// Answers a request that puts queries.
pub fn put_response(indexed: usize, errors: &[QueryError]) -> ItemsResponse {
    let errors_json = serde_json::to_string(errors).expect("texts serialise into memory");
    ItemsResponse {
        body: format!("{{\"indexed\":{indexed},\"errors\":{errors_json}}}").into_bytes(),
        success: indexed as u32,
        failure: errors.len() as u32,
        error: 0,
    }
}

/// The keys of the queries of a request, each once.
pub fn keys(request: &QueriesRequest) -> Vec<String> {
    let mut keys: Vec<String> = request.queries.iter().map(|query| key_of(query)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownQuery<'a> {
    query: &'a str,
    query_words: Vec<String>,
    query_index: String,
    popularity: f64,
    metadata: &'a RawValue,
    last_updated_at: u64,
}

/// Reads queries, as [`queries_response`] has them.
pub(crate) fn get_queries(snapshot: &ReadView, request: &QueriesRequest) -> Result<Vec<u8>> {
    queries_response(request, |key| {
        let stored = snapshot.suggestion(key)?;
        let query = stored.map(|bytes| StoredQuery::decode(key, &bytes));
        query.transpose()
    })
}

/// Answers a request that reads queries: `{"queries": [..]}` in its order, without those that are not there. `stored`
/// gives the query of a key.
///
/// # Errors
/// Those of `stored`, and one for an answer that is too large.
pub fn queries_response(
    request: &QueriesRequest,
    stored: impl Fn(&str) -> Result<Option<StoredQuery>>,
) -> Result<Vec<u8>> {
    let mut analyzer = WordAnalyzer::new();
    let mut answer = b"{\"queries\":[".to_vec();
    for text in &request.queries {
        let key = key_of(text);
        let Some(StoredQuery { query, updated_at }) = stored(&key)? else {
            continue;
        };
        let query_words = analyzer.words(&query.text);
        let shown = ShownQuery {
            query_index: beginnings(&query_words),
            query_words,
            query: &query.text,
            popularity: query.popularity,
            metadata: raw(&key, &query.metadata)?,
            last_updated_at: updated_at,
        };
        if answer.last() != Some(&b'[') {
            answer.push(b',');
        }
        serde_json::to_writer(&mut answer, &shown).expect("a query serialises into memory");
        check_answer_size(answer.len())?;
    }
    answer.extend_from_slice(b"]}");
    Ok(answer)
}

#[derive(Serialize)]
struct ScannedQuery<'a> {
    query: &'a str,
    popularity: f64,
    metadata: &'a RawValue,
}

/// Reads a page of all queries, as [`scan_response`] has it.
pub(crate) fn scan_queries(
    snapshot: &ReadView,
    suggestions: &Suggestions,
    request: &ScanQueriesRequest,
) -> Result<Vec<u8>> {
    scan_response(suggestions, request, |key| {
        let stored = snapshot.suggestion(key)?;
        let query = stored.map(|bytes| StoredQuery::decode(key, &bytes));
        query.transpose()
    })
}

/// Answers a request that reads all queries, page by page: `{"queries": [..], "cursor"}` in the order of their keys,
/// each in the form in which it is put. The cursor is the text of the last query, and null where no query comes after it;
/// so a page shows what there is when it is asked for. `stored` gives the query of a key.
///
/// # Errors
/// Those of `stored`, and one for an answer that is too large.
pub fn scan_response(
    suggestions: &Suggestions,
    request: &ScanQueriesRequest,
    stored: impl Fn(&str) -> Result<Option<StoredQuery>>,
) -> Result<Vec<u8>> {
    let after = request.cursor.as_deref().map(key_of);
    let limit = request.limit.max(1);
    let mut texts = suggestions.texts_after(after.as_deref(), limit + 1);
    let has_more = texts.len() > limit;
    texts.truncate(limit);
    let mut answer = b"{\"queries\":[".to_vec();
    for text in &texts {
        let key = key_of(text);
        // One that was removed meanwhile.
        let Some(StoredQuery { query, .. }) = stored(&key)? else {
            continue;
        };
        let scanned = ScannedQuery {
            query: &query.text,
            popularity: query.popularity,
            metadata: raw(&key, &query.metadata)?,
        };
        if answer.last() != Some(&b'[') {
            answer.push(b',');
        }
        serde_json::to_writer(&mut answer, &scanned).expect("a query serialises into memory");
        check_answer_size(answer.len())?;
    }
    answer.extend_from_slice(b"],\"cursor\":");
    match texts.last().filter(|_| has_more) {
        Some(last) => write_text(&mut answer, last),
        None => answer.extend_from_slice(b"null"),
    }
    answer.push(b'}');
    Ok(answer)
}

/// Every beginning of every word, with blanks between: the texts that a token can match without an
/// edit.
fn beginnings(words: &[String]) -> String {
    let mut all = String::new();
    for word in words {
        for (at, c) in word.char_indices() {
            if !all.is_empty() {
                all.push(' ');
            }
            all.push_str(&word[..at + c.len_utf8()]);
        }
    }
    all
}

fn raw<'a>(key: &str, json: &'a str) -> Result<&'a RawValue> {
    serde_json::from_str(json).map_err(|error| {
        EngineError::from(StoreError::Damaged {
            place: format!("suggestions[{key:?}]"),
            reason: format!("its metadata are no JSON: {error}"),
        })
    })
}

/// Suggests queries, as `{"suggestions": [..]}`, best first.
pub fn suggest(suggestions: &Suggestions, plan: SuggestPlan) -> Vec<u8> {
    let suggested = suggestions.search(&SuggestRequest {
        text: plan.text,
        limit: plan.limit.max(1),
        edits_max: plan.edits_max,
        fuzzy_chars_min: plan.fuzzy_chars_min,
        popularity_weight: plan.popularity_weight,
        bm25_weight: plan.bm25_weight,
        matches_all: plan.matches_all,
    });
    let mut answer = b"{\"suggestions\":[".to_vec();
    for (at, one) in suggested.iter().enumerate() {
        answer.extend_from_slice(if at == 0 { b"" } else { b"," });
        answer.extend_from_slice(b"{\"suggestion\":");
        write_text(&mut answer, &one.text);
        answer.extend_from_slice(b",\"_score\":");
        serde_json::to_writer(&mut answer, &one.score).expect("a number serialises into memory");
        answer.extend_from_slice(b",\"metadata\":");
        answer.extend_from_slice(one.metadata.as_bytes());
        answer.push(b'}');
    }
    answer.extend_from_slice(b"]}");
    answer
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn a_stored_query_survives_its_encoding_and_anything_else_is_damage() {
        let stored = StoredQuery {
            query: Query {
                text: "Crème brûlée".into(),
                popularity: -0.5,
                metadata: "{\"a\":1.5}".into(),
            },
            updated_at: 1 << 40,
        };
        let bytes = stored.encode();
        assert_eq!(StoredQuery::decode("k", &bytes).unwrap(), stored);
        for end in 0..bytes.len() {
            let error = StoredQuery::decode("k", &bytes[..end]).unwrap_err();
            assert_eq!(error.code(), "backend_data_parsing_error");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(StoredQuery::decode("k", &longer).is_err());
    }

    #[test]
    fn the_index_of_a_query_are_the_beginnings_of_its_words() {
        assert_eq!(beginnings(&["ab".into(), "é手".into()]), "a ab é é手");
    }
}
