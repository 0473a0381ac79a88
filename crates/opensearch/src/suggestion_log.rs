//! The queries that an index on a cluster suggests, as a log of their changes.
//!
//! An entry holds the changes of one request. It becomes the next of the log by being created under the next number,
//! which fails where another server was faster: whoever reads all entries in their order has what everybody has, and
//! whoever knows that the next is not there is up to date, by one read of a document by its id. A document for each query
//! would need a refresh with each write and a search with each call, tell nothing of those that were removed, and be
//! counted by nobody; one document for all queries would be written and read anew for each change.
//!
//! # Cleaning
//!
//! Most changes of a log are sooner or later outdated by others. When these outweigh the rest, the queries of the oldest
//! entries that are still there are put anew, by an entry that changes nothing, and the head says with which entry the
//! log begins. Only then are the entries before deleted. A server that asks for one of these finds nothing, and
//! therefore always asks for the head after it: where the log begins later, it reads all of it anew.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use pelorus_engine::elsewhere::{EngineOptions, read_request};
use pelorus_engine::suggestions::{
    PutQueriesRequest, QueriesRequest, QueryChanges, QueryLimits, ScanQueriesRequest, StoredQuery,
    SuggestPlan, checked, keys, put_response, queries_response, scan_response, suggest,
};
use pelorus_engine::{ItemsResponse, Result};
use pelorus_suggest::{Change, Query, Suggestions, key_of};
use serde::{Deserialize, Serialize};

use crate::answer::{Found, read_found, unreadable};

/// A log may have so many outdated changes, besides as many as there are queries, before it is cleaned.
const OUTDATED_MAX: usize = 1_024;
/// A log may have so many entries, besides one for each [`QUERIES_PER_ENTRY`].
const ENTRIES_MAX: usize = 256;
const QUERIES_PER_ENTRY: usize = 64;
/// One cleaning takes so many of the oldest entries at most, and no more of them once it has so many changes.
const CLEANED_ENTRIES: usize = 512;
const CLEANED_CHANGES: usize = 10_000;

/// The queries as the log has them, from the entry on at which this was begun.
pub struct SuggestionLog {
    suggestions: Suggestions,
    state: Mutex<State>,
}

struct State {
    /// The number of the first entry.
    start: u64,
    /// The number of the entry that was not there yet.
    next: u64,
    /// The changes of each entry that was read, as many as they are.
    changes: VecDeque<usize>,
    /// By key.
    queries: HashMap<String, Put>,
}

/// The facts of a query that its searched form has not.
#[derive(Clone, Copy)]
struct Put {
    /// The number of its entry.
    entry: u64,
    popularity: f64,
    updated_at: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Logged {
    Put {
        query: String,
        popularity: f64,
        metadata: String,
        updated_at: u64,
    },
    /// The query with this key.
    Remove(String),
    Clear,
}

/// A document of the log: the head, which has `start`, or an entry.
#[derive(Deserialize)]
struct Document {
    start: Option<u64>,
    changes: Option<Vec<Logged>>,
}

/// The part of a log that is known after an answer was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// There may be more entries.
    More,
    /// All of it is read.
    All,
    /// Entries that were not read are deleted. The log begins with this one.
    Behind { start: u64 },
}

/// A change that is to become the next entry.
pub struct Proposal {
    /// The number that the entry has to be created under.
    pub number: u64,
    /// The member `changes` of its document, as JSON; none where there is nothing to change.
    pub changes: Option<Vec<u8>>,
    /// The answer to the request, once the entry is there.
    pub response: ItemsResponse,
}

/// An entry that holds the queries of older ones anew.
pub struct Cleaning {
    /// As in [`Proposal`].
    pub number: u64,
    /// As in [`Proposal`].
    pub changes: Option<Vec<u8>>,
    /// The first entry of the log once this one is there.
    pub start: u64,
}

impl SuggestionLog {
    /// A log of which nothing is read yet, and whose first entry has this number.
    pub fn starting_at(start: u64) -> Self {
        Self {
            suggestions: Suggestions::default(),
            state: Mutex::new(State {
                start,
                next: start,
                changes: VecDeque::new(),
                queries: HashMap::new(),
            }),
        }
    }

    /// The number of the first entry, as far as is known.
    pub fn start(&self) -> u64 {
        self.state.lock().start
    }

    /// The number of the entry that is to be read next.
    pub fn next(&self) -> u64 {
        self.state.lock().next
    }

    /// Takes the answer to a multi-get of the entries from `first` on, which is [`next`](Self::next), and of the head
    /// behind them.
    ///
    /// # Errors
    /// `service_unavailable` where the cluster did not look, `backend_data_parsing_error` for what is no log.
    pub fn take(&self, first: u64, answer: &[u8]) -> Result<Read> {
        let mut documents = read_found::<Document>(answer, None)?;
        let head = documents.pop().ok_or_else(unreadable)?;
        let asked = documents.len();
        let mut state = self.state.lock();
        let mut changes = Vec::new();
        let mut number = first;
        for Found { source, .. } in documents.into_iter().map_while(|entry| entry) {
            let logged = source.changes.ok_or_else(unreadable)?;
            // Another answer may have brought it.
            if number == state.next {
                state.take(logged, &mut changes);
            }
            number += 1;
        }
        if !changes.is_empty() {
            self.suggestions.apply(changes);
        }
        let start = head.and_then(|head| head.source.start).unwrap_or(1);
        if start > state.next {
            return Ok(Read::Behind { start });
        }
        state.forget_before(start);
        Ok(match number - first < asked as u64 {
            true => Read::All,
            false => Read::More,
        })
    }

    /// Proposes to put queries. `request` is `PutQueriesRequest`, `options` is `EngineOptions`.
    ///
    /// # Errors
    /// `invalid_argument` where one of these cannot be read.
    pub fn put(&self, request: &[u8], options: &[u8]) -> Result<Proposal> {
        let request: PutQueriesRequest = read_request("queries to suggest", request)?;
        let options: EngineOptions = read_request("engine options", options)?;
        let mut changes = QueryChanges::Put(checked(request));
        let state = self.state.lock();
        QueryLimits::new(&self.suggestions, &options).admit(&mut changes);
        let (mut logged, mut errors) = (Vec::new(), Vec::new());
        if let QueryChanges::Put(items) = changes {
            for item in items {
                match item {
                    Ok(query) => logged.push(Logged::of(query.stored)),
                    Err(error) => errors.push(error),
                }
            }
        }
        let response = put_response(logged.len(), &errors);
        Ok(state.propose(&logged, response))
    }

    /// Proposes to remove queries. `request` is `QueriesRequest`.
    ///
    /// # Errors
    /// `invalid_argument` where it cannot be read.
    pub fn remove(&self, request: &[u8]) -> Result<Proposal> {
        let request: QueriesRequest = read_request("queries to delete", request)?;
        let state = self.state.lock();
        let keys = keys(&request).into_iter();
        let known = keys.filter(|key| state.queries.contains_key(key));
        let logged: Vec<Logged> = known.map(Logged::Remove).collect();
        Ok(state.propose(&logged, ItemsResponse::default()))
    }

    /// Proposes to remove all queries.
    pub fn clear(&self) -> Proposal {
        let state = self.state.lock();
        let logged: &[Logged] = match state.queries.is_empty() {
            true => &[],
            false => &[Logged::Clear],
        };
        state.propose(logged, ItemsResponse::default())
    }

    /// Proposes a cleaning, where there is much to clean.
    pub fn clean(&self) -> Option<Cleaning> {
        let state = self.state.lock();
        let start = state.cleaned_until()?;
        let old = state.queries.iter().filter(|(_, put)| put.entry < start);
        let logged = old.filter_map(|(key, put)| Some(Logged::of(self.stored(key, *put)?)));
        let logged: Vec<Logged> = logged.collect();
        let Proposal {
            number, changes, ..
        } = state.propose(&logged, ItemsResponse::default());
        Some(Cleaning {
            number,
            changes,
            start,
        })
    }

    /// Reads queries, as the embedded engine does. `request` is `QueriesRequest`.
    ///
    /// # Errors
    /// `invalid_argument` where it cannot be read, and one for an answer that is too large.
    pub fn get(&self, request: &[u8]) -> Result<Vec<u8>> {
        let request: QueriesRequest = read_request("queries to read", request)?;
        let state = self.state.lock();
        queries_response(&request, |key| {
            let put = state.queries.get(key);
            Ok(put.and_then(|put| self.stored(key, *put)))
        })
    }

    /// Reads a page of all queries, as the embedded engine does. `request` is `ScanQueriesRequest`.
    ///
    /// # Errors
    /// `invalid_argument` where it cannot be read, and one for an answer that is too large.
    pub fn scan(&self, request: &[u8]) -> Result<Vec<u8>> {
        let request: ScanQueriesRequest = read_request("queries to read", request)?;
        let state = self.state.lock();
        scan_response(&self.suggestions, &request, |key| {
            let put = state.queries.get(key);
            Ok(put.and_then(|put| self.stored(key, *put)))
        })
    }

    /// Suggests queries, as the embedded engine does. `plan` is `SuggestPlan`.
    ///
    /// # Errors
    /// `invalid_argument` where it cannot be read.
    pub fn suggest(&self, plan: &[u8]) -> Result<Vec<u8>> {
        let plan: SuggestPlan = read_request("suggestions", plan)?;
        Ok(suggest(&self.suggestions, plan))
    }

    /// The number of queries.
    pub fn query_count(&self) -> usize {
        self.suggestions.len()
    }

    /// Bytes of memory, about.
    pub fn memory_bytes(&self) -> usize {
        let state = self.state.lock();
        let keys: usize = state.queries.keys().map(String::capacity).sum();
        let facts = state.queries.capacity() * size_of::<(String, Put)>();
        self.suggestions.memory_bytes() + keys + facts
    }

    fn stored(&self, key: &str, put: Put) -> Option<StoredQuery> {
        let (text, metadata) = self.suggestions.texts_of(key)?;
        Some(StoredQuery {
            query: Query {
                text,
                popularity: put.popularity,
                metadata,
            },
            updated_at: put.updated_at,
        })
    }
}

impl State {
    /// Takes the next entry.
    fn take(&mut self, logged: Vec<Logged>, changes: &mut Vec<Change>) {
        self.changes.push_back(logged.len());
        for one in logged {
            changes.push(match one {
                Logged::Put {
                    query: text,
                    popularity,
                    metadata,
                    updated_at,
                } => {
                    let put = Put {
                        entry: self.next,
                        popularity,
                        updated_at,
                    };
                    self.queries.insert(key_of(&text), put);
                    Change::Put(Query {
                        text,
                        popularity,
                        metadata,
                    })
                }
                Logged::Remove(key) => {
                    self.queries.remove(&key);
                    Change::Remove(key)
                }
                Logged::Clear => {
                    self.queries.clear();
                    Change::Clear
                }
            });
        }
        self.next += 1;
    }

    fn forget_before(&mut self, start: u64) {
        while self.start < start && self.changes.pop_front().is_some() {
            self.start += 1;
        }
    }

    fn propose(&self, logged: &[Logged], response: ItemsResponse) -> Proposal {
        let changes = (!logged.is_empty()).then(|| {
            serde_json::to_vec(logged).expect("texts and finite numbers serialise into memory")
        });
        Proposal {
            number: self.next,
            changes,
            response,
        }
    }

    /// The first entry that stays, where it is time to clean the log.
    fn cleaned_until(&self) -> Option<u64> {
        let all: usize = self.changes.iter().sum();
        let is_due = all > 2 * self.queries.len() + OUTDATED_MAX
            || self.changes.len() > ENTRIES_MAX + self.queries.len() / QUERIES_PER_ENTRY;
        if !is_due {
            return None;
        }
        let mut taken = 0;
        let oldest = self.changes.iter().take(CLEANED_ENTRIES);
        let oldest = oldest.take_while(|changes| {
            let is_first = taken == 0;
            taken += **changes;
            is_first || taken <= CLEANED_CHANGES
        });
        Some(self.start + oldest.count() as u64)
    }
}

impl Logged {
    fn of(StoredQuery { query, updated_at }: StoredQuery) -> Self {
        Self::Put {
            query: query.text,
            popularity: query.popularity,
            metadata: query.metadata,
            updated_at,
        }
    }
}
