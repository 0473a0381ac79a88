//! The bodies of a search's requests.

use pelorus_columns::composed;
use pelorus_lexical::QueryTerms;
use serde_json::{Value, json};

use super::{AT_ONCE, ClusterSearch, GRAPH_MAX, PAGE_STEP, SHOWN_TOGETHER, WINDOW};
use crate::layout::{
    CHUNKS, ID, SOURCES, STORED, VALUES, chunks_path, space_type, text_path, vector_path,
};
use crate::sparse_leg::SparseLeg;
use crate::value_terms::id_term;
use crate::words::{WordStatistics, words_query};

impl ClusterSearch {
    pub(super) fn words_body(
        &self,
        (terms, statistics): (&QueryTerms, &WordStatistics),
        set: usize,
        count: usize,
        values: bool,
    ) -> Value {
        let query = words_query(terms, statistics);
        self.body(set, &query, None, count, values)
    }

    pub(super) fn bm25_body(
        &self,
        (terms, statistics): (&QueryTerms, &WordStatistics),
        set: usize,
        docs: &[u32],
        values: bool,
    ) -> Value {
        let query = words_query(terms, statistics);
        self.body(set, &query, Some(self.among(docs)), docs.len(), values)
    }

    /// A search for the best `count` documents of a sparse vector, in the order of their inner products, which their sort
    /// values are; among some candidates alone where these are named.
    pub(super) fn sparse_body(
        &self,
        sparse: &SparseLeg,
        set: usize,
        docs: Option<&[u32]>,
        count: usize,
        values: bool,
    ) -> Value {
        let among = docs.map(|docs| self.among(docs));
        let mut body = self.body(set, &sparse.matching(), among, count, values);
        body["sort"] = sparse.order();
        body
    }

    /// A search for candidates by their ids, whichever filter they pass.
    pub(super) fn stored_body(&self, docs: &[u32]) -> Value {
        json!({
            "size": docs.len(),
            "track_total_hits": false,
            "_source": [STORED],
            "query": {"bool": {"filter": [self.among(docs)]}},
        })
    }

    /// A search for the vectors of candidates, whichever filter they pass.
    pub(super) fn vectors_body(&self, docs: &[u32]) -> Value {
        json!({
            "size": docs.len(),
            "track_total_hits": false,
            "_source": [SOURCES, format!("{CHUNKS}*")],
            "query": {"bool": {"filter": [self.among(docs)]}},
        })
    }

    /// A search for every document of a set.
    pub(super) fn all_body(&self, set: usize) -> Value {
        self.body(set, &json!({"match_all": {}}), None, WINDOW, false)
    }

    /// A search for the texts of candidates' nearest chunks, with their stored forms.
    pub(super) fn texts_body(&self, docs: &[u32]) -> Value {
        let clauses = self.exact_clauses();
        json!({
            "size": docs.len(),
            "track_total_hits": false,
            "_source": [STORED],
            "query": {"bool": {"filter": [self.among(docs)], "should": clauses}},
        })
    }

    /// Some candidates alone.
    fn among(&self, docs: &[u32]) -> Value {
        let ids: Vec<&str> = docs.iter().map(|&doc| self.search.id(doc)).collect();
        json!({"ids": {"values": ids}})
    }

    /// Tells whether documents come with their stored forms: where the page shows most of so many, or stages read their
    /// values, as facets do of every set beside the search's own.
    fn brings_stored(&self, set: usize, count: usize, values: bool) -> bool {
        let end = self.search.page_end().next_multiple_of(PAGE_STEP);
        let is_most = count <= SHOWN_TOGETHER && (count <= end || set > 0);
        is_most || (values && count <= AT_ONCE)
    }

    /// Tells whether the nearest documents come with their nearest chunks. Those cost a search within each document: where
    /// few of them are shown, these are asked for by themselves.
    pub(super) fn brings_chunks(&self, set: usize, count: usize, values: bool) -> bool {
        let has_few = count <= SHOWN_TOGETHER && self.brings_stored(set, count, values);
        let (leg, _) = self.search.tensor_leg().unzip();
        let is_exact = leg.is_some_and(|leg| !leg.approximate || count > GRAPH_MAX);
        let has_fields = !self.tensor_fields().is_empty();
        !has_fields
            || is_exact
            || (self.search.shows_texts() && has_few)
            || self.search.explains()
            || self.search.is_ranking()
    }

    /// A search for the `count` best of a query that pass the filter of a set.
    fn body(
        &self,
        set: usize,
        query: &Value,
        among: Option<Value>,
        count: usize,
        values: bool,
    ) -> Value {
        let filter = self.filters.get(&set).and_then(Option::as_ref);
        let filters: Vec<&Value> = filter.into_iter().chain(&among).collect();
        let shown = match self.brings_stored(set, count, values) {
            true => json!([STORED]),
            false => json!(false),
        };
        let mut clauses = json!({"must": [query], "filter": filters});
        if let Some(excluded) = self.excluded(set) {
            clauses["must_not"] = excluded;
        }
        json!({
            "size": count.min(WINDOW),
            "track_total_hits": false,
            "_source": shown,
            "query": {"bool": clauses},
        })
    }

    fn excluded(&self, set: usize) -> Option<Value> {
        let mut excluded = self.search.excluded(set).peekable();
        excluded.peek()?;
        Some(ids_query(excluded))
    }

    /// The tensor fields that the search looks into.
    pub(super) fn tensor_fields(&self) -> Vec<&str> {
        let leg = self.search.tensor_leg();
        let named = leg.and_then(|(leg, _)| leg.fields.as_ref());
        let all = self.search.index().tensor_fields().iter();
        let fields = all.filter(|field| named.is_none_or(|named| named.contains(field)));
        fields.map(String::as_str).collect()
    }

    /// The searches for the nearest documents of each field. The best of all fields are among those of one search, unless
    /// boosts make other documents the best.
    pub(super) fn nearest_bodies(&self, set: usize, count: usize, values: bool) -> Vec<Value> {
        let leg = self.search.tensor_leg().map(|(leg, _)| leg);
        let is_exact = leg.is_some_and(|leg| !leg.approximate || count > GRAPH_MAX);
        let clauses = match is_exact {
            true => self.exact_clauses(),
            false => self.graph_clauses(set, count),
        };
        if is_exact && clauses.len() > 1 && leg.is_some_and(|leg| leg.boosts.is_some()) {
            let each = (0..clauses.len()).map(|first| {
                let best = best_of(clauses.clone(), first);
                with_source(self.body(set, &best, None, count, values))
            });
            return each.collect();
        }
        let size = count * clauses.len().max(1);
        let values = self.brings_stored(set, count, values);
        vec![with_source(self.body(
            set,
            &any(clauses),
            None,
            size,
            values,
        ))]
    }

    /// Searches for the nearest by each field alone, which tell of their chunks what scores do.
    pub(super) fn field_bodies(
        &self,
        set: usize,
        count: usize,
        values: bool,
    ) -> Vec<(String, Value)> {
        let fields = self.tensor_fields().into_iter();
        let clauses = fields.zip(self.graph_clauses(set, count));
        let bodies = clauses.map(|(field, mut clause)| {
            if let Some(nested) = clause["nested"].as_object_mut() {
                nested.remove("inner_hits");
            }
            let body = self.body(set, &clause, None, count, values);
            (field.to_owned(), body)
        });
        bodies.collect()
    }

    pub(super) fn distances_body(&self, set: usize, docs: &[u32], values: bool) -> Value {
        let (clauses, among) = (any(self.exact_clauses()), self.among(docs));
        self.body(set, &clauses, Some(among), docs.len(), values)
    }

    /// The nearest of each field by its graph.
    fn graph_clauses(&self, set: usize, count: usize) -> Vec<Value> {
        let Some((leg, vector)) = self.search.tensor_leg() else {
            return Vec::new();
        };
        let filter = self.filters.get(&set).and_then(Option::as_ref);
        let clause = |field: &&str| {
            let mut knn = json!({
                "vector": vector,
                "k": count,
                "method_parameters": {"ef_search": leg.ef_search.max(count)},
            });
            knn["filter"] = match (filter, self.excluded(set)) {
                (None, None) => return nested(field, json!({"knn": {vector_path(field): knn}})),
                (Some(filter), None) => filter.clone(),
                (filter, Some(excluded)) => {
                    let filters: Vec<&Value> = filter.into_iter().collect();
                    json!({"bool": {"filter": filters, "must_not": excluded}})
                }
            };
            nested(field, json!({"knn": {vector_path(field): knn}}))
        };
        self.tensor_fields().iter().map(clause).collect()
    }

    /// Every chunk of each field.
    fn exact_clauses(&self) -> Vec<Value> {
        let Some((_, vector)) = self.search.tensor_leg() else {
            return Vec::new();
        };
        let space = space_type(self.search.index().metric());
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
}

/// A search whose hits have some source: without any, each chunk would read that of its document by itself.
fn with_source(mut body: Value) -> Value {
    if body["_source"] == false {
        body["_source"] = json!([ID]);
    }
    body
}

/// A search for the tensors of documents.
pub(super) fn tensors_body(ids: &[String]) -> Value {
    json!({
        "size": ids.len().min(WINDOW),
        "track_total_hits": false,
        "_source": [ID, STORED, SOURCES, format!("{CHUNKS}*")],
        "query": {"bool": {"filter": [ids_query(ids.iter().map(String::as_str))]}},
    })
}

fn ids_query<'a>(ids: impl Iterator<Item = &'a str>) -> Value {
    let terms: Vec<String> = ids.map(|id| id_term(&composed(id))).collect();
    json!({"terms": {VALUES: terms}})
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

/// The best of one clause. The others only bring the nearest chunks of their fields.
fn best_of(mut clauses: Vec<Value>, first: usize) -> Value {
    let best = clauses.swap_remove(first);
    for clause in &mut clauses {
        clause["nested"]["boost"] = json!(0.0);
    }
    json!({"bool": {"must": [best], "should": clauses}})
}

fn any(clauses: Vec<Value>) -> Value {
    match clauses.is_empty() {
        true => json!({"match_none": {}}),
        false => json!({"dis_max": {"queries": clauses}}),
    }
}
