//! A search of an index on a cluster: its requests, and what their answers tell of candidates.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use pelorus_engine::{
    Cancellation, CandidateChunk, CandidateSearch, CandidateStep, EngineError, LexicalOperand,
    Needs, Result, SearchError,
};
use pelorus_lexical::{Language, LexicalQuery, Operand, QueryTerms, TextFields};
use serde_json::{Value, json};

use crate::filter::filter_query;
use crate::layout::{
    ID, STORED, VALUES, chunks_path, distance, space_type, text_path, vector_path,
};
use crate::value_terms::id_term;
use crate::words::{Scope, WordStatistics, read_statistics, statistics_request, words_query};

/// Documents that OpenSearch gives for one search at most, where an index says nothing else.
const WINDOW: usize = 10_000;

/// The facts of an index that its documents are searched by.
#[derive(Debug, Clone, Default)]
pub struct SearchedFields {
    /// Text fields, with how their texts were analysed.
    pub text: TextFields,
    /// Tensor fields.
    pub tensor: Vec<String>,
}

/// The next thing that a search asks of its caller.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// To send these searches together, in one request.
    Send(Vec<Request>),
    /// Nothing: this is the body.
    Done(Vec<u8>),
}

/// One search of the cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub body: Value,
    /// Tells that scores take statistics of all shards together.
    pub dfs: bool,
}

/// The question of a request that was sent.
#[derive(Debug, Clone)]
enum Asked {
    Statistics,
    Nearest { count: usize },
    Words { count: usize },
    Distances(Vec<u32>),
    Bm25(Vec<u32>),
    Stored,
}

/// A search of an index on a cluster. [`ClusterSearch::step`] is called with the answers of each step's requests, until
/// it is done.
pub struct ClusterSearch {
    search: CandidateSearch,
    fields: SearchedFields,
    terms: Option<QueryTerms>,
    statistics: Option<WordStatistics>,
    filter: Option<Value>,
    asked: Vec<Asked>,
    needs: Needs,
}

impl ClusterSearch {
    /// Begins a search. `definition`, `options` and `plan` are JSON.
    ///
    /// # Errors
    /// Those of a search, for what needs no document.
    pub fn begin(
        name: &str,
        definition: &[u8],
        options: &[u8],
        fields: SearchedFields,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let search =
            CandidateSearch::begin(name, definition, options, plan, vectors, cancellation)?;
        let contains = |_: &str, _: &str| -> Result<Value> {
            Err(SearchError::NotOfCandidates("documents that CONTAINS finds").into())
        };
        let filter = search
            .filter()
            .map(|filter| filter_query(filter, &contains));
        let filter = filter.transpose()?;
        if search.tensor_leg().is_some() && space_type(search.metric()).is_none() {
            return Err(SearchError::NotOfCandidates("distances of this spaceType").into());
        }
        let terms = match search.lexical_leg() {
            Some(leg) => {
                let query = LexicalQuery {
                    text: leg.text.clone(),
                    fields: leg.fields.clone(),
                    k: 0,
                    operand: match leg.operand {
                        LexicalOperand::Or => Operand::Or,
                        LexicalOperand::And => Operand::And,
                    },
                    language: leg.language.as_deref().map(Language::from_tag),
                };
                Some(QueryTerms::of(&query, &fields.text).map_err(EngineError::from)?)
            }
            None => None,
        };
        Ok(Self {
            search,
            fields,
            terms,
            statistics: None,
            filter,
            asked: Vec::new(),
            needs: Needs::default(),
        })
    }

    /// Takes the answers of the last step's requests, in their order, and goes on.
    ///
    /// # Errors
    /// Those of a search, and one for an answer that is none.
    pub fn step(&mut self, answers: &[Value]) -> Result<Step> {
        let asked = std::mem::take(&mut self.asked);
        for (asked, answer) in asked.iter().zip(answers) {
            self.take(asked, answer)?;
        }
        if asked.iter().any(|asked| matches!(asked, Asked::Statistics)) {
            return Ok(self.send());
        }
        match self.search.step()? {
            CandidateStep::Done(body) => Ok(Step::Done(body)),
            CandidateStep::Fetch(needs) => {
                self.needs = needs;
                self.check_depth()?;
                Ok(self.send())
            }
        }
    }

    fn check_depth(&self) -> Result<()> {
        let deepest = [self.needs.nearest, self.needs.words];
        let had = [self.search.nearest_asked(), self.search.words_asked()];
        let is_over = |(wanted, had): (Option<usize>, usize)| {
            wanted.is_some_and(|wanted| wanted > WINDOW) && had >= WINDOW
        };
        match deepest.into_iter().zip(had).any(is_over) {
            true => Err(SearchError::NotOfCandidates("more than 10,000 documents of a leg").into()),
            false => Ok(()),
        }
    }

    fn send(&mut self) -> Step {
        let Needs {
            nearest,
            words,
            words_total,
            distances,
            bm25,
            stored,
            values,
        } = self.needs.clone();
        let has_words = words.is_some() || !bm25.is_empty();
        let mut requests = Vec::new();
        let mut ask = |asked: &mut Vec<Asked>, one: Asked, body: Value, dfs: bool| {
            asked.push(one);
            requests.push(Request { body, dfs });
        };
        let mut asked = Vec::new();
        if let Some(count) = nearest {
            let count = count.min(WINDOW);
            let body = self.nearest_body(count, values);
            ask(&mut asked, Asked::Nearest { count }, body, false);
        }
        if !distances.is_empty() {
            let docs: Vec<u32> = distances.into_iter().collect();
            let body = self.distances_body(&docs, values);
            ask(&mut asked, Asked::Distances(docs), body, false);
        }
        if let (true, Some(terms)) = (has_words, &self.terms) {
            match &self.statistics {
                None => {
                    let body = statistics_request(terms, self.scope());
                    ask(&mut asked, Asked::Statistics, body, false);
                }
                Some(statistics) => {
                    let query = words_query(terms, statistics);
                    if let Some(count) = words {
                        let count = count.min(WINDOW);
                        let mut body = self.body(&query, None, count, values);
                        body["track_total_hits"] = json!(words_total);
                        ask(&mut asked, Asked::Words { count }, body, true);
                    }
                    if !bm25.is_empty() {
                        let docs: Vec<u32> = bm25.into_iter().collect();
                        let body = self.body(&query, Some(self.among(&docs)), docs.len(), values);
                        ask(&mut asked, Asked::Bm25(docs), body, true);
                    }
                }
            }
        }
        if !stored.is_empty() && nearest.is_none() && words.is_none() {
            let docs: Vec<u32> = stored.into_iter().collect();
            let all = json!({"match_all": {}});
            let body = self.body(&all, Some(self.among(&docs)), docs.len(), true);
            ask(&mut asked, Asked::Stored, body, false);
        }
        // The nearest and the distances wait for statistics and are asked with these known; the rest is not asked again.
        if asked.iter().any(|one| matches!(one, Asked::Statistics)) {
            self.needs.nearest = None;
            self.needs.distances.clear();
        }
        self.asked = asked;
        Step::Send(requests)
    }

    fn scope(&self) -> Scope {
        match self
            .search
            .lexical_leg()
            .is_some_and(|leg| leg.fields.is_some())
        {
            true => Scope::Named,
            false => Scope::All,
        }
    }

    /// Some candidates alone.
    fn among(&self, docs: &[u32]) -> Value {
        let terms: Vec<String> = docs
            .iter()
            .map(|&doc| id_term(self.search.id(doc)))
            .collect();
        json!({"terms": {VALUES: terms}})
    }

    /// A search for the `count` best of a query that pass the filter.
    fn body(&self, query: &Value, among: Option<Value>, count: usize, stored: bool) -> Value {
        let filters: Vec<&Value> = self.filter.iter().chain(&among).collect();
        let shown: &[&str] = if stored { &[ID, STORED] } else { &[ID] };
        json!({
            "size": count,
            "track_total_hits": false,
            "_source": shown,
            "query": {"bool": {"must": [query], "filter": filters}},
        })
    }

    /// The tensor fields that the search looks into.
    fn tensor_fields(&self) -> Vec<&str> {
        let named = self
            .search
            .tensor_leg()
            .and_then(|(leg, _)| leg.fields.as_ref());
        let all = self.fields.tensor.iter();
        let fields = all.filter(|field| named.is_none_or(|named| named.contains(field)));
        fields.map(String::as_str).collect()
    }

    fn nearest_body(&self, count: usize, stored: bool) -> Value {
        let exact = self
            .search
            .tensor_leg()
            .is_some_and(|(leg, _)| !leg.approximate);
        let clauses: Vec<Value> = match exact {
            true => self.exact_clauses(),
            false => self.graph_clauses(count),
        };
        let size = (count * clauses.len().max(1)).min(WINDOW);
        self.body(&any(clauses), None, size, stored)
    }

    fn distances_body(&self, docs: &[u32], stored: bool) -> Value {
        self.body(
            &any(self.exact_clauses()),
            Some(self.among(docs)),
            docs.len(),
            stored,
        )
    }

    /// The nearest of each field by its graph.
    fn graph_clauses(&self, count: usize) -> Vec<Value> {
        let Some((leg, vector)) = self.search.tensor_leg() else {
            return Vec::new();
        };
        let clause = |field: &&str| {
            let mut knn = json!({
                "vector": vector,
                "k": count,
                "method_parameters": {"ef_search": leg.ef_search.max(count)},
            });
            if let Some(filter) = &self.filter {
                knn["filter"] = filter.clone();
            }
            nested(field, json!({"knn": {vector_path(field): knn}}))
        };
        self.tensor_fields().iter().map(clause).collect()
    }

    /// Every chunk of each field.
    fn exact_clauses(&self) -> Vec<Value> {
        let Some((_, vector)) = self.search.tensor_leg() else {
            return Vec::new();
        };
        let space = space_type(self.search.metric());
        let clause = |field: &&str| {
            let path = vector_path(field);
            let script = json!({
                "lang": "knn",
                "source": "knn_score",
                "params": {"field": path, "query_value": vector, "space_type": space},
            });
            let has = json!({"exists": {"field": path}});
            nested(
                field,
                json!({"script_score": {"query": has, "script": script}}),
            )
        };
        self.tensor_fields().iter().map(clause).collect()
    }

    /// Takes an answer in.
    fn take(&mut self, asked: &Asked, answer: &Value) -> Result<()> {
        if let (Asked::Statistics, Some(terms)) = (asked, &self.terms) {
            let read = read_statistics(terms, self.scope(), answer);
            self.statistics = Some(read.ok_or_else(unreadable)?);
            return Ok(());
        }
        let hits = answer["hits"]["hits"].as_array().ok_or_else(unreadable)?;
        for hit in hits {
            let id = hit["_source"][ID].as_str().ok_or_else(unreadable)?;
            let doc = self.search.candidate(id);
            if let Some(stored) = hit["_source"][STORED].as_str() {
                let stored = BASE64_STANDARD.decode(stored).map_err(|_| unreadable())?;
                self.search.set_stored(doc, stored)?;
            }
            match asked {
                Asked::Nearest { .. } | Asked::Distances(_) => {
                    let chunks = self.chunks(hit)?;
                    self.search.set_chunks(doc, chunks);
                }
                Asked::Words { .. } | Asked::Bm25(_) => {
                    let score = hit["_score"].as_f64().ok_or_else(unreadable)?;
                    self.search.set_bm25(doc, Some(score as f32));
                }
                Asked::Statistics | Asked::Stored => {}
            }
        }
        match asked {
            Asked::Nearest { count } => self.search.note_nearest(*count, hits.len()),
            Asked::Words { count } => {
                let total = answer["hits"]["total"]["value"].as_u64();
                self.search.note_words(*count, hits.len(), total);
            }
            Asked::Distances(docs) => self.search.note_without_chunks(docs),
            Asked::Bm25(docs) => self.search.note_without_words(docs),
            Asked::Statistics | Asked::Stored => {}
        }
        Ok(())
    }

    /// The nearest chunk of each field of a hit.
    fn chunks(&self, hit: &Value) -> Result<Vec<CandidateChunk>> {
        let metric = self.search.metric();
        let vector = self
            .search
            .tensor_leg()
            .map_or(&[][..], |(_, vector)| vector);
        let squared_length = vector.iter().map(|x| x * x).sum();
        let mut chunks = Vec::new();
        for field in self.tensor_fields() {
            let path = chunks_path(field);
            let inner = &hit["inner_hits"][&path]["hits"]["hits"][0];
            if inner.is_null() {
                continue;
            }
            let score = inner["_score"].as_f64().ok_or_else(unreadable)?;
            chunks.push(CandidateChunk {
                field: field.into(),
                place: inner["_nested"]["offset"].as_u64().ok_or_else(unreadable)? as u32,
                distance: distance(metric, score as f32, squared_length),
                text: inner["_source"]["text"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            });
        }
        Ok(chunks)
    }
}

fn nested(field: &str, query: Value) -> Value {
    let path = chunks_path(field);
    let shown = [text_path(field)];
    json!({"nested": {
        "path": path,
        "score_mode": "max",
        "query": query,
        "inner_hits": {"name": path, "size": 1, "_source": shown},
    }})
}

fn any(clauses: Vec<Value>) -> Value {
    match clauses.is_empty() {
        true => json!({"match_none": {}}),
        false => json!({"dis_max": {"queries": clauses}}),
    }
}

fn unreadable() -> EngineError {
    SearchError::ClusterAnswer("documents that can be read").into()
}
