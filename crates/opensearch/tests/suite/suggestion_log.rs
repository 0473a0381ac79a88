//! The log of suggestions, as several servers read and write it at once.

use std::collections::BTreeMap;

use pelorus_opensearch::{Proposal, Read, SuggestionLog};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

/// The documents of one log on a cluster.
#[derive(Default)]
struct Cluster {
    entries: BTreeMap<u64, Value>,
    start: Option<u64>,
}

impl Cluster {
    /// Creates an entry; tells whether there was none of its number.
    fn create(&mut self, number: u64, changes: &[u8]) -> bool {
        if self.entries.contains_key(&number) {
            return false;
        }
        let changes: Value = serde_json::from_slice(changes).expect("changes are JSON");
        self.entries.insert(number, changes);
        true
    }

    /// Brings a log up to date, as a server does that asks for `count` entries at once.
    fn read(&self, log: &mut SuggestionLog, count: u64) {
        loop {
            let first = log.next();
            let entry =
                |number| document(self.entries.get(&number).map(|c| json!({ "changes": c })));
            let mut docs: Vec<Value> = (first..first + count).map(entry).collect();
            docs.push(document(self.start.map(|start| json!({ "start": start }))));
            let answer = json!({ "docs": docs }).to_string();
            match log
                .take(first, answer.as_bytes())
                .expect("the answer is one")
            {
                Read::All => return,
                Read::More => {}
                Read::Behind { start } => *log = SuggestionLog::starting_at(start),
            }
        }
    }

    /// Makes a change as a server does; `meanwhile` comes between its first look at the log and its write. Gives the number
    /// of its attempts.
    fn change(
        &mut self,
        log: &mut SuggestionLog,
        propose: impl Fn(&SuggestionLog) -> Proposal,
        meanwhile: impl FnOnce(&mut Self),
    ) -> usize {
        let mut meanwhile = Some(meanwhile);
        for attempt in 1.. {
            self.read(log, 2);
            let Proposal {
                number, changes, ..
            } = propose(log);
            let Some(changes) = changes else {
                return attempt;
            };
            if let Some(meanwhile) = meanwhile.take() {
                meanwhile(self);
            }
            if self.create(number, &changes) {
                self.read(log, 2);
                if log.start() <= number {
                    return attempt;
                }
            }
        }
        unreachable!("numbers do not end")
    }

    /// Cleans the log; tells whether it was due.
    fn clean(&mut self, log: &mut SuggestionLog) -> bool {
        let Some(cleaning) = log.clean() else {
            return false;
        };
        let changes = cleaning.changes.as_deref();
        if changes.is_none_or(|changes| self.create(cleaning.number, changes)) {
            self.start = self.start.max(Some(cleaning.start));
            self.entries.retain(|number, _| *number >= cleaning.start);
        }
        true
    }
}

fn document(source: Option<Value>) -> Value {
    match source {
        Some(source) => json!({"found": true, "_seq_no": 0, "_primary_term": 1, "_source": source}),
        None => json!({"found": false}),
    }
}

fn put(texts: &[String], popularity: usize) -> Vec<u8> {
    let query = |text| json!({"query": text, "popularity": popularity, "metadata": "{}"});
    let queries: Vec<Value> = texts.iter().map(query).collect();
    json!({ "queries": queries }).to_string().into_bytes()
}

fn named(texts: &[String]) -> Vec<u8> {
    json!({ "queries": texts }).to_string().into_bytes()
}

/// The queries of a log with their popularity.
fn queries(log: &SuggestionLog, texts: &[String]) -> BTreeMap<String, usize> {
    let answer = log.get(&named(texts)).expect("the request is read");
    let answer: Value = serde_json::from_slice(&answer).expect("the answer is JSON");
    let queries = answer["queries"].as_array().expect("queries are a list");
    let query = |query: &Value| {
        let text = query["query"].as_str().expect("a query is a text");
        let popularity = query["popularity"]
            .as_f64()
            .expect("popularity is a number");
        (text.to_owned(), popularity as usize)
    };
    queries.iter().map(query).collect()
}

/// A change of a random kind, and its effect on what is expected.
struct Step {
    kind: usize,
    texts: Vec<String>,
    popularity: usize,
}

impl Step {
    fn random(random: &mut SplitMix64, all: &[String], popularity: usize) -> Self {
        let count = 1 + random.below(3);
        Self {
            kind: random.below(40),
            texts: (0..count).map(|_| random.pick(all).clone()).collect(),
            popularity,
        }
    }

    fn propose(&self, log: &SuggestionLog) -> Proposal {
        match self.kind {
            0 => log.clear(),
            1..10 => log.remove(&named(&self.texts)).expect("it is read"),
            _ => log
                .put(&put(&self.texts, self.popularity), b"{}")
                .expect("it is read"),
        }
    }

    fn note(&self, expected: &mut BTreeMap<String, usize>) {
        match self.kind {
            0 => expected.clear(),
            1..10 => self.texts.iter().for_each(|text| _ = expected.remove(text)),
            _ => {
                let put = |text: &String| _ = expected.insert(text.clone(), self.popularity);
                self.texts.iter().for_each(put);
            }
        }
    }
}

#[test]
fn every_server_has_what_was_acknowledged_whatever_is_cleaned() {
    let mut random = SplitMix64(7);
    let all: Vec<String> = (0..40).map(|number| format!("query {number}")).collect();
    let mut cluster = Cluster::default();
    let mut logs: Vec<SuggestionLog> = (0..3).map(|_| SuggestionLog::starting_at(1)).collect();
    let mut other = SuggestionLog::starting_at(1);
    let mut expected = BTreeMap::new();
    let (mut cleanings, mut retries) = (0, 0);
    for number in 0..1_500 {
        let log = random.below(logs.len());
        let log = &mut logs[log];
        let step = Step::random(&mut random, &all, 2 * number);
        let faster = Step::random(&mut random, &all, 2 * number + 1);
        let has_rival = random.below(2) == 0;
        let attempts = cluster.change(
            log,
            |log| step.propose(log),
            |cluster| {
                if has_rival {
                    cluster.change(&mut other, |log| faster.propose(log), |_| {});
                    faster.note(&mut expected);
                }
            },
        );
        step.note(&mut expected);
        retries += attempts - 1;
        cleanings += usize::from(cluster.clean(log));
        cluster.read(log, 1 + random.below(4) as u64);
        assert_eq!(queries(log, &all), expected, "step {number}");
        assert_eq!(log.query_count(), expected.len());
    }
    assert!(cleanings > 1, "{cleanings} cleanings");
    assert!(retries > 400, "{retries} retries");
    let left = cluster.entries.len();
    assert!(left < 600, "{left} entries are left");
}

#[test]
fn a_change_that_comes_after_the_log_was_cleaned_beyond_it_is_made_again() {
    let mut cluster = Cluster::default();
    let mut log = SuggestionLog::starting_at(1);
    let mut other = SuggestionLog::starting_at(1);
    let texts = |text: &str| vec![text.to_owned()];
    let attempts = cluster.change(
        &mut log,
        |log| log.put(&put(&texts("slow"), 1), b"{}").expect("it is read"),
        |cluster| {
            for popularity in 0..600 {
                let request = put(&texts("fast"), popularity);
                let propose = |log: &SuggestionLog| log.put(&request, b"{}").expect("it is read");
                cluster.change(&mut other, propose, |_| {});
                cluster.clean(&mut other);
            }
        },
    );
    assert_eq!(attempts, 2, "nobody had the number any more");
    cluster.read(&mut other, 1);
    let all = [texts("slow"), texts("fast")].concat();
    let expected = BTreeMap::from([("slow".to_owned(), 1), ("fast".to_owned(), 599)]);
    assert_eq!(queries(&other, &all), expected);
    assert_eq!(queries(&log, &all), expected);
}

#[test]
fn an_entry_that_nobody_looked_for_is_not_missing() {
    let log = SuggestionLog::starting_at(1);
    let failed =
        json!({"error": {"type": "no_shard_available_action_exception", "reason": "away"}});
    let answer = json!({"docs": [failed, {"found": false}]}).to_string();
    let error = log.take(1, answer.as_bytes()).expect_err("nobody knows");
    assert_eq!(error.code(), "service_unavailable");
    let missing = json!({"error": {"type": "index_not_found_exception", "reason": "none"}});
    let answer = json!({"docs": [missing, missing]}).to_string();
    assert_eq!(log.take(1, answer.as_bytes()).ok(), Some(Read::All));
}
