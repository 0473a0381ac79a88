//! A search of an index on a cluster: its requests, and what their answers tell of candidates.

mod answers;
mod bodies;
mod exchange;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use pelorus_engine::{
    Cancellation, CandidateIndex, CandidateRanking, CandidateSearch, CandidateStep, EngineError,
    LexicalLeg, Needs, PrefixWords, Result, SearchError, Typing, lexical_query,
};
use pelorus_lexical::{QueryTerms, TextFields};
use serde_json::Value;

use crate::filter::index_filter;
use crate::layout::space_type;
use crate::sparse_leg::SparseLeg;
use crate::words::{Scope, WordStatistics, clause_count, statistics_request};

pub use exchange::Exchange;

/// Documents of one search at most, which is `max_result_window` of an index of ours.
const WINDOW: usize = 100_000;

/// Documents that are asked for by their ids at once, and that come with their stored forms: an answer is held in memory,
/// there and here.
const AT_ONCE: usize = 10_000;

/// Most neighbors that a graph of OpenSearch is asked for. Where more are, every vector is compared.
const GRAPH_MAX: usize = 10_000;

/// Documents that come with their stored forms and chunks, where the page shows all or most of them.
const SHOWN_TOGETHER: usize = 100;

/// Documents beside those of a page that a leg which is the whole search asks for.
const PAGE_STEP: usize = 10;

/// Clauses of a query for words at most, whatever nodes take: 200 words in 1,000 fields, one clause each, kept a node busy
/// for half a minute before it refused them.
const CLAUSES_MAX: usize = 16_384;

/// The next thing that a search asks of its caller.
pub enum Step {
    /// To send these searches together, in one request.
    Send(Vec<Request>),
    /// Nothing: this is the body.
    Done(Vec<u8>),
    /// Nothing: this is the ranking of all pages.
    Ranked(ClusterRanking),
}

/// One search of the cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub body: Value,
    /// Tells that scores take statistics of all shards together.
    pub dfs: bool,
}

/// The question of a request that was sent, and the set whose candidates answer it.
#[derive(Debug, Clone)]
struct Asked {
    set: usize,
    question: Question,
}

#[derive(Debug, Clone)]
enum Question {
    Statistics,
    ProbeStatistics,
    Probe {
        count: usize,
    },
    Nearest {
        count: usize,
    },
    /// The nearest by one field, whose chunks nobody asks for yet.
    NearestOf {
        field: String,
        count: usize,
    },
    Words {
        count: usize,
    },
    Distances(Vec<u32>),
    Bm25(Vec<u32>),
    Explanations(Vec<u32>),
    Stored(Vec<u32>),
    Vectors(Vec<u32>),
    /// Texts of nearest chunks, with stored forms.
    Texts(Vec<u32>),
    Tensors,
    All,
}

/// The words of a leg.
struct LegWords {
    terms: QueryTerms,
    scope: Scope,
    /// The counts that their scores take; none until they were asked for.
    statistics: Option<WordStatistics>,
}

impl LegWords {
    fn of(leg: &LexicalLeg, fields: &TextFields) -> Result<Self> {
        let terms = QueryTerms::of(&lexical_query(leg, 0), fields).map_err(EngineError::from)?;
        let (count, most) = (clause_count(&terms), CLAUSES_MAX);
        if count > most {
            return Err(SearchError::TooManyClauses { count, most }.into());
        }
        Ok(Self {
            terms,
            scope: match leg.fields.is_some() {
                true => Scope::Named,
                false => Scope::All,
            },
            statistics: None,
        })
    }

    /// The words with their statistics, once these are here.
    fn counted(&self) -> Option<(&QueryTerms, &WordStatistics)> {
        Some((&self.terms, self.statistics.as_ref()?))
    }
}

/// A search of an index on a cluster. [`ClusterSearch::step`] is called with the answers of each step's requests, until
/// it is done.
pub struct ClusterSearch {
    search: CandidateSearch,
    words: Option<LegWords>,
    /// The vector in place of words.
    sparse: Option<SparseLeg>,
    /// Those of the probe for relevance, where they are others.
    probe: Option<LegWords>,
    /// Filters of sets that were asked for.
    filters: HashMap<usize, Option<Value>>,
    asked: Vec<Asked>,
    /// By set, the documents of the tensor leg in the answer that has the most of them, among those taken last.
    found: HashMap<usize, usize>,
    /// The needs that wait for the statistics.
    needs: Vec<(usize, Needs)>,
}

/// The ranking of a search, kept for pages to come.
pub struct ClusterRanking(Box<CandidateRanking>);

impl ClusterRanking {
    /// The number of hits.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Bytes of memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    /// Begins a page: `limit` hits from place `start` on, or the rest of them.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn page(
        &self,
        start: usize,
        limit: usize,
        cancellation: &Cancellation,
    ) -> Result<ClusterSearch> {
        let page = self.0.page(start, limit, cancellation)?;
        Ok(ClusterSearch::new(page))
    }
}

/// The words that a search asks others to stand for, by the members that ask it.
fn other_words(typing: &Typing) -> String {
    let completes = typing.prefix != PrefixWords::None || !typing.prefix_fields.is_empty();
    let asked = [
        ("'prefix'", completes),
        ("'typoTolerance'", typing.typos.is_some()),
        ("'splitJoinTokens'", typing.split_join),
        ("'decompound'", typing.compounds),
    ];
    let names: Vec<&str> = asked
        .into_iter()
        .filter_map(|(name, is_asked)| is_asked.then_some(name))
        .collect();
    let names = names.join(", ");
    format!("the words that others complete, correct or spell otherwise ({names})")
}

impl ClusterSearch {
    /// Begins a search. `plan` is JSON.
    ///
    /// # Errors
    /// Those of a search, for what needs no document.
    pub fn begin(
        index: &Arc<CandidateIndex>,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        Self::of(CandidateSearch::begin(index, plan, vectors, cancellation)?)
    }

    /// Begins a search for all its pages.
    ///
    /// # Errors
    /// As [`ClusterSearch::begin`].
    pub fn begin_ranking(
        index: &Arc<CandidateIndex>,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let search = CandidateSearch::begin_ranking(index, plan, vectors, cancellation)?;
        Self::of(search)
    }

    fn of(search: CandidateSearch) -> Result<Self> {
        let words = |leg: &LexicalLeg| LegWords::of(leg, search.index().text_fields());
        let has_words = |leg: &&LexicalLeg| leg.sparse.is_none();
        let leg = search.lexical_leg().filter(has_words).map(words);
        let leg = leg.transpose()?;
        let sparse = search.lexical_leg().and_then(|leg| leg.sparse.as_ref());
        let sparse = sparse.map(|sparse| SparseLeg::of(sparse, search.index()));
        let sparse = sparse.transpose()?;
        let probe = search.probe().map(words).transpose()?;
        if let Some(typing) = search.lexical_leg().and_then(|leg| leg.typing.as_ref()) {
            return Err(SearchError::NotOfCandidates(other_words(typing)).into());
        }
        if search.shows_groups() {
            let unknown = "further documents of groups ('groupLimit')";
            return Err(SearchError::NotOfCandidates(unknown.to_owned()).into());
        }
        if search.asks_for_correction() {
            let unknown = "the words that a query may mean ('didYouMean')";
            return Err(SearchError::NotOfCandidates(unknown.to_owned()).into());
        }
        if search.has_tensor_leg() && space_type(search.index().metric()).is_none() {
            return Err(
                SearchError::NotOfCandidates("distances of this spaceType".to_owned()).into(),
            );
        }
        let mut search = Self {
            words: leg,
            sparse,
            probe,
            ..Self::new(search)
        };
        // A filter that cannot be asked is told before anything else is.
        search.know_filter(0)?;
        Ok(search)
    }

    fn new(search: CandidateSearch) -> Self {
        Self {
            search,
            words: None,
            sparse: None,
            probe: None,
            filters: HashMap::new(),
            asked: Vec::new(),
            found: HashMap::new(),
            needs: Vec::new(),
        }
    }

    /// Takes the answers of the last step's requests, in their order, and goes on.
    ///
    /// # Errors
    /// Those of a search, and one for an answer that is none.
    pub fn step(&mut self, answers: &[Value]) -> Result<Step> {
        let asked = std::mem::take(&mut self.asked);
        self.found.clear();
        for (asked, answer) in asked.iter().zip(answers) {
            self.take(asked, answer)?;
        }
        let waited = |asked: &Asked| {
            matches!(
                asked.question,
                Question::Statistics | Question::ProbeStatistics
            )
        };
        if asked.iter().any(waited) {
            let needs = std::mem::take(&mut self.needs);
            return self.send(needs);
        }
        match self.search.step()? {
            CandidateStep::Done(body) => Ok(Step::Done(body)),
            CandidateStep::Ranked(ranking) => Ok(Step::Ranked(ClusterRanking(ranking))),
            CandidateStep::Fetch(needs) => {
                for (set, needs) in &needs {
                    self.check_depth(*set, needs)?;
                }
                self.send(needs)
            }
        }
    }

    /// A ranking of all pages ends where the cluster does; a page that lies deeper is no page.
    fn check_depth(&self, set: usize, needs: &Needs) -> Result<()> {
        let legs = [
            (needs.nearest, self.search.nearest_asked(set)),
            (needs.words, self.search.words_asked(set)),
            (needs.probe, self.search.probe_asked(set)),
        ];
        let is_over = |(wanted, had): (Option<usize>, usize)| {
            wanted.is_some_and(|wanted| wanted > WINDOW) && had >= WINDOW
        };
        match !self.search.is_ranking() && legs.into_iter().any(is_over) {
            true => Err(SearchError::NotOfCandidates(
                "more than 100,000 documents of a leg".to_owned(),
            )
            .into()),
            false => Ok(()),
        }
    }

    fn send(&mut self, needs: Vec<(usize, Needs)>) -> Result<Step> {
        let mut requests = Vec::new();
        for (set, needs) in needs {
            self.know_filter(set)?;
            let waits = self.ask(set, &needs, &mut requests);
            if !waits.is_empty() {
                self.needs.push((set, waits));
            }
        }
        Ok(Step::Send(requests))
    }

    /// Adds the requests for what a set lacks, and returns what waits for the statistics.
    fn ask(&mut self, set: usize, needs: &Needs, requests: &mut Vec<Request>) -> Needs {
        let mut ask = |asked: &mut Vec<Asked>, question, body, dfs| {
            asked.push(Asked { set, question });
            requests.push(Request { body, dfs });
        };
        // The ranking misses the others again when it runs the next time.
        let first = |docs: &BTreeSet<u32>| docs.iter().copied().take(AT_ONCE).collect();
        let mut asked = std::mem::take(&mut self.asked);
        let mut waits = Needs::default();
        if let Some(count) = needs.nearest {
            let count = count.min(WINDOW);
            match self.brings_chunks(set, count, needs.values) {
                true => {
                    for body in self.nearest_bodies(set, count, needs.values) {
                        ask(&mut asked, Question::Nearest { count }, body, false);
                    }
                }
                false => {
                    for (field, body) in self.field_bodies(set, count, needs.values) {
                        let question = Question::NearestOf { field, count };
                        ask(&mut asked, question, body, false);
                    }
                }
            }
        }
        if !needs.distances.is_empty() {
            let docs: Vec<u32> = first(&needs.distances);
            let body = self.distances_body(set, &docs, needs.values);
            ask(&mut asked, Question::Distances(docs), body, false);
        }
        let has_words =
            needs.words.is_some() || !needs.bm25.is_empty() || !needs.explained.is_empty();
        match self.words.as_ref().map(|words| (words, words.counted())) {
            Some((words, None)) if has_words => {
                let is_asked = |one: &Asked| matches!(one.question, Question::Statistics);
                if !asked.iter().any(is_asked) {
                    let body = statistics_request(&words.terms, words.scope);
                    ask(&mut asked, Question::Statistics, body, false);
                }
                waits = Needs {
                    words: needs.words,
                    words_total: needs.words_total,
                    bm25: needs.bm25.clone(),
                    explained: needs.explained.clone(),
                    values: needs.values,
                    ..Needs::default()
                };
            }
            Some((_, Some(words))) => {
                if let Some(count) = needs.words {
                    let count = count.min(WINDOW);
                    let mut body = self.words_body(words, set, count, needs.values);
                    body["track_total_hits"] = needs.words_total.into();
                    ask(&mut asked, Question::Words { count }, body, true);
                }
                if !needs.bm25.is_empty() {
                    let docs: Vec<u32> = first(&needs.bm25);
                    let body = self.bm25_body(words, set, &docs, needs.values);
                    ask(&mut asked, Question::Bm25(docs), body, true);
                }
                if !needs.explained.is_empty() {
                    let docs: Vec<u32> = first(&needs.explained);
                    let mut body = self.bm25_body(words, set, &docs, false);
                    body["explain"] = true.into();
                    ask(&mut asked, Question::Explanations(docs), body, true);
                }
            }
            _ => {}
        }
        if let Some(sparse) = &self.sparse {
            if let Some(count) = needs.words {
                let count = count.min(WINDOW);
                let mut body = self.sparse_body(sparse, set, None, count, needs.values);
                body["track_total_hits"] = needs.words_total.into();
                ask(&mut asked, Question::Words { count }, body, false);
            }
            if !needs.bm25.is_empty() {
                let docs: Vec<u32> = first(&needs.bm25);
                let body = self.sparse_body(sparse, set, Some(&docs), docs.len(), needs.values);
                ask(&mut asked, Question::Bm25(docs), body, false);
            }
        }
        if let (Some(count), Some(words)) = (needs.probe, &self.probe) {
            if let Some(words) = words.counted() {
                let count = count.min(WINDOW);
                let body = self.words_body(words, set, count, needs.values);
                ask(&mut asked, Question::Probe { count }, body, true);
            } else {
                let is_asked = |one: &Asked| matches!(one.question, Question::ProbeStatistics);
                if !asked.iter().any(is_asked) {
                    let body = statistics_request(&words.terms, words.scope);
                    ask(&mut asked, Question::ProbeStatistics, body, false);
                }
                waits.probe = Some(count);
                waits.values = needs.values;
            }
        }
        if !needs.vectors.is_empty() {
            let docs: Vec<u32> = first(&needs.vectors);
            let body = self.vectors_body(&docs);
            ask(&mut asked, Question::Vectors(docs), body, false);
        }
        // The documents of legs may bring the stored forms that are missing.
        let mut legs = [needs.nearest, needs.words].into_iter().flatten();
        let brings = needs.values && legs.any(|count| count <= AT_ONCE);
        if !needs.texts.is_empty() {
            let docs: Vec<u32> = first(&needs.texts);
            let body = self.texts_body(&docs);
            ask(&mut asked, Question::Texts(docs), body, false);
        }
        // Documents whose texts are asked for come with their stored forms.
        let stored = &needs.stored - &needs.texts;
        if !stored.is_empty() && !brings {
            let docs: Vec<u32> = first(&stored);
            let body = self.stored_body(&docs);
            ask(&mut asked, Question::Stored(docs), body, false);
        }
        if needs.all {
            ask(&mut asked, Question::All, self.all_body(set), false);
        }
        if !needs.tensors.is_empty() {
            let body = bodies::tensors_body(&needs.tensors);
            ask(&mut asked, Question::Tensors, body, false);
        }
        self.asked = asked;
        waits
    }

    /// Writes the filter of a set, where that is not done.
    fn know_filter(&mut self, set: usize) -> Result<()> {
        if self.filters.contains_key(&set) {
            return Ok(());
        }
        let filter = self.search.filter(set);
        let filter = filter.map(|filter| index_filter(self.search.index(), filter));
        let filter = filter.transpose()?;
        self.filters.insert(set, filter);
        Ok(())
    }
}
