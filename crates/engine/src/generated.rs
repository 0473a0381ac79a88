// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

use serde::{Deserialize, Serialize};

/// Bounds of all indexes of an embedded engine. An index keeps all that it holds already,
/// whatever they say.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EngineOptions {
    /// Distinct text fields of an unstructured index, at most 50,000. Default 1,000.
    pub lexical_fields_max: usize,
    /// Distinct tensor fields of an unstructured index. Default 100.
    pub tensor_fields_max: usize,
    /// Values of one IN list of a filter. Default 10,000.
    pub in_filter_values_max: usize,
    /// Queries that one index suggests. Default 1,000,000.
    pub suggestions_max: usize,
    /// Bytes of their texts and metadata. Default 268,435,456.
    pub suggestion_bytes_max: usize,
    /// The operators' name of lexicalFieldsMax; told with a refusal.
    pub lexical_fields_setting: Option<String>,
    /// The operators' name of tensorFieldsMax.
    pub tensor_fields_setting: Option<String>,
    /// The operators' name of inFilterValuesMax.
    pub in_filter_values_setting: Option<String>,
    /// The operators' name of suggestionsMax.
    pub suggestions_setting: Option<String>,
    /// The operators' name of suggestionBytesMax.
    pub suggestion_bytes_setting: Option<String>,
    /// Bytes of documents and vectors that may wait to be written, over all indexes. Default
    /// 134,217,728.
    pub queued_bytes_max: usize,
    /// Bytes of the disk that a scan or a search with a cursor may hold back at least, where the
    /// disk has room: more where the index takes more. Default 1,073,741,824.
    pub held_bytes_min: usize,
    /// Files that open indexes may hold open together; null for half of what the process may
    /// have. Files beyond that are closed until they are used again.
    pub open_files_max: Option<usize>,
    /// Seconds between two audits of an index, which compare each document with all that is
    /// derived from it; 0 for none. Default 21,600.
    pub audit_interval_seconds: usize,
    /// Bytes of memory for int8 codes of vectors, of all engines of the process together; those
    /// made beyond it lie in files. null for no bound.
    pub code_memory_max: Option<usize>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            lexical_fields_max: 1_000,
            tensor_fields_max: 100,
            in_filter_values_max: 10_000,
            suggestions_max: 1_000_000,
            suggestion_bytes_max: 268_435_456,
            lexical_fields_setting: None,
            tensor_fields_setting: None,
            in_filter_values_setting: None,
            suggestions_setting: None,
            suggestion_bytes_setting: None,
            queued_bytes_max: 134_217_728,
            held_bytes_min: 1_073_741_824,
            open_files_max: None,
            audit_interval_seconds: 21_600,
            code_memory_max: None,
        }
    }
}

/// A search in the one normal form that every request is brought into. Everything that needs
/// no index is decided in it: which legs are searched, which inputs are embedded, every
/// default. The engine decides the rest by its index: whether the fields are there, and the
/// meaning of the filter.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchPlan {
    /// Hits of the page.
    pub limit: usize,
    /// Hits before the page.
    pub offset: usize,
    /// A filter expression; null for every document.
    pub filter: Option<String>,
    /// The filter that the caller is bound to. Documents that do not pass it are not there for
    /// it; null for none.
    #[serde(default)]
    pub within: Option<String>,
    /// Filters that documents have to pass besides, each read by itself; facets leave out none of
    /// their terms.
    #[serde(default)]
    pub added_filters: Vec<String>,
    /// Documents that stand at places of their own, as far as they pass the filter; in the order
    /// of their places, each document once. Those of one place follow each other.
    #[serde(default)]
    pub pinned: Vec<PinnedDocument>,
    /// Ids of documents that are no hits, pinned or not.
    #[serde(default)]
    pub hidden: Vec<String>,
    /// Fields of each hit; null for all.
    pub attributes_to_retrieve: Option<Vec<String>>,
    /// Tells with each hit which of its chunks is the nearest.
    pub show_highlights: bool,
    /// Explains the score of each hit.
    pub explain: bool,
    /// The parts of texts with words of the lexical leg that each hit shows; null for none.
    pub lexical_highlights: Option<LexicalHighlights>,
    /// The text whose words the answer corrects, as far as the index has none of them; null for
    /// none.
    #[serde(default)]
    pub did_you_mean: Option<String>,
    pub retrieval_method: RetrievalMethod,
    pub ranking_method: RankingMethod,
    /// With the ranking method rrf, and only then.
    pub rrf: Option<ReciprocalRankFusion>,
    /// Documents that the search starts from; null for none.
    pub context: Option<DocumentContext>,
    /// Null where vectors neither find nor rank.
    pub tensor: Option<TensorLeg>,
    /// Null where words neither find nor rank.
    pub lexical: Option<LexicalLeg>,
    /// Documents that one leg finds for the other to rank, at least; null for those of the page.
    pub rerank_count: Option<usize>,
    /// How fused scores are changed; null for not at all.
    pub rescoring: Option<Rescoring>,
    /// How the age of documents changes scores; null for not at all.
    pub recency: Option<Recency>,
    /// The rule by which the ranking's less relevant end is cut off; null for none.
    pub relevance_cutoff: Option<RelevanceCutoff>,
    /// The vectors by which the first hits are ranked anew; null for none. Not with a sort.
    #[serde(default)]
    pub late_interaction: Option<LateInteraction>,
    /// The rule by which the first hits are kept apart from those like them; null for none. Not
    /// with a sort.
    #[serde(default)]
    pub diversity: Option<Diversity>,
    /// The fields that the hits are sorted by in place of their scores; null for none.
    pub sort: Option<Sort>,
    /// Null for hits that are not grouped.
    pub collapse: Option<Collapse>,
    /// The counts of fields in the answer; null for none.
    pub facets: Option<Facets>,
    /// Tells with the answer how many documents were found.
    pub track_total_hits: bool,
    /// Distances that each hit tells, each as field@lat,lon.
    #[serde(default)]
    pub distances: Vec<String>,
}

/// A document that stands at a place of its own among the hits, whatever its score.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PinnedDocument {
    pub id: String,
    /// Hits before it, on all pages.
    pub place: usize,
}

/// The parts of texts that hits show, with the words that match marked.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LexicalHighlights {
    /// Fields among those that are searched; null for all.
    pub fields: Option<Vec<String>>,
    /// Characters of a fragment, at least 1.
    pub fragment_size: usize,
    /// Most fragments of a field; 0 for whole texts.
    pub number_of_fragments: usize,
    /// Before each word.
    pub pre_tag: String,
    /// Behind it.
    pub post_tag: String,
}

/// Fields that change scores: the product of weight and value over the fields to multiply
/// that a document has is a factor, and the sum over those to add is added. A field that is
/// named twice has its last weight.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScoreModifiers {
    pub multiply: Vec<ScoreModifier>,
    pub add: Vec<ScoreModifier>,
}

/// A field of numbers, or an entry of a map as map.key, and its weight.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScoreModifier {
    pub field: String,
    pub weight: f64,
}

/// How the scores of fused hits are changed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rescoring {
    pub score_modifiers: ScoreModifiers,
    /// The best so many are changed, the others keep their scores; null for all.
    pub depth: Option<usize>,
}

/// Scores fall with the distance of a field's Unix time, in seconds, from the centre: decay
/// before it, growth behind it. A field may be a distance as field@lat,lon, in metres: then
/// growth is what scores fall by.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recency {
    pub field: String,
    pub center_seconds: f64,
    pub decay: RecencySlope,
    /// Null where what lies behind the centre is as recent as can be.
    pub growth: Option<RecencySlope>,
    /// The recency times this is added to scores, null multiplies them by it.
    pub add_to_score_weight: Option<f64>,
    /// Changes scores of the tensor leg.
    pub tensor: bool,
    /// Changes scores of the lexical leg.
    pub lexical: bool,
    /// Changes the scores that the legs end in.
    pub fused: bool,
}

/// One side of the curve: 1 for the offset, then down to the floor over the scale.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecencySlope {
    pub falloff: Falloff,
    /// More than 0.
    pub scale_seconds: f64,
    /// At least 0.
    pub offset_seconds: f64,
    /// More than 0, at most 1.
    pub floor: f64,
}

/// How recency falls over its scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Falloff {
    Exponential,
    Linear,
    Gaussian,
    Binary,
}

/// A lexical search of its own, the probe, tells by its scores how many documents are
/// relevant: so many each leg may give.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelevanceCutoff {
    pub method: RelevanceCutoffMethod,
    /// The factor of the best score or of the standard deviation, 0 with gapDetection.
    pub factor: f64,
    /// Without modifiers.
    pub probe: LexicalLeg,
    /// Documents of the probe, at least 1.
    pub probe_depth: usize,
    pub legs: CutoffLegs,
    /// Sorts no more than the relevant documents.
    pub sorts_relevant: bool,
    /// Counts in facets only what the cut-off leaves.
    pub facets_relevant: bool,
    /// Counts in the total only what the cut-off leaves.
    pub totals_relevant: bool,
}

/// How the scores of the probe tell how many documents are relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RelevanceCutoffMethod {
    RelativeMaxScore,
    GapDetection,
    MeanStdDev,
}

/// Which legs are cut off; a lexical leg that is not gives as many documents as the probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CutoffLegs {
    Tensor,
    Both,
}

/// Hits in the order of fields. Those equal by every field keep the order of their scores.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sort {
    pub fields: Vec<SortField>,
    /// The best so many are sorted, the others follow; null for all.
    pub depth: Option<usize>,
    /// Documents of each leg that are sorted together; where the page lies deeper the others
    /// follow, by their relevance. Null for as many as the cut-off leaves, or 1,000 without one.
    pub candidates: Option<usize>,
}

/// A field of numbers or dates, or an entry of a map as map.key.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SortField {
    /// A field, or a distance as field@lat,lon.
    pub field: String,
    /// Compares dates: texts and numbers that filters take as such.
    #[serde(default)]
    pub dates: bool,
    /// Puts greater numbers first.
    pub descending: bool,
    /// Puts documents without a number first.
    pub missing_first: bool,
}

/// Hits with the same text in a field are one, the best of them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Collapse {
    /// The field by which the index groups.
    pub field: String,
    /// Null shows the best hit of each group.
    pub sort: Option<CollapseSort>,
    /// Tells with each hit how many documents of its group were found.
    #[serde(default)]
    pub counts: bool,
    /// Further documents of its group that each hit shows, at most. Default 0.
    #[serde(default = "Collapse::others_default")]
    pub others: usize,
}

impl Collapse {
    fn others_default() -> usize {
        0
    }
}

/// Which document of its group is shown in place of a hit, when it is strictly better by the
/// number or the date of a field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CollapseSort {
    /// A field, or a map's entry as map.key.
    pub field: String,
    /// Compares dates as the fields of a sort do.
    #[serde(default)]
    pub dates: bool,
    pub order: SortOrder,
    /// Replaces a hit without a number too.
    pub always_fetch_variants: bool,
}

/// The first hits of a ranking by the sum of the greatest products of each vector with those
/// of a field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LateInteraction {
    /// The field of the vectors of documents.
    pub field: String,
    /// All of one length.
    pub vectors: Vec<Vec<f64>>,
    /// The first so many hits are ranked anew, at least 1; the others follow.
    pub candidates: usize,
}

/// The first hits of a ranking in the order of maximal marginal relevance.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Diversity {
    /// The share of relevance against unlikeness, 0 to 1.
    pub lambda: f64,
    /// The first so many hits are ranked anew, at least 1; the others follow.
    pub candidates: usize,
}

/// Least or greatest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SortOrder {
    Asc,
    Desc,
}

/// The counts of the documents found, whichever page of them is shown.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Facets {
    /// In the order of the answer.
    pub fields: Vec<Facet>,
    /// Only so many of the best are counted; null for all.
    pub max_depth: Option<usize>,
}

/// The values of one field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Facet {
    /// A field, or a map's entry as map.key.
    pub field: String,
    pub kind: FacetKind,
    /// Most texts that are listed.
    pub max_results: usize,
    /// The order of the counts.
    pub order: SortOrder,
    /// Ranges of numbers, ascending and apart from each other; null for all numbers together.
    pub ranges: Option<Vec<FacetRange>>,
    /// The parts in which dates are counted; null for all dates together, and of other values.
    pub dates: Option<FacetDates>,
    /// Terms that the filter does not have for this field.
    pub exclude_terms: Vec<String>,
}

/// The counted values: texts, the texts of lists, numbers, or dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FacetKind {
    String,
    Array,
    Number,
    Date,
}

/// Numbers of which `from` is one and `to` is not.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FacetRange {
    /// Stands for the range in the answer.
    pub name: String,
    /// Null for no lower end.
    pub from: Option<f64>,
    /// Null for no upper end.
    pub to: Option<f64>,
}

/// Parts in which dates are counted, of one of the two kinds.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FacetDates {
    /// Null for ranges.
    pub interval: Option<DateInterval>,
    /// Ascending and apart from each other; null for intervals.
    pub ranges: Option<Vec<DateRange>>,
}

/// A part of the calendar in UTC; weeks begin on Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DateInterval {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
}

/// Dates of which `from` is one and `to` is not.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DateRange {
    /// Stands for the range in the answer.
    pub name: String,
    /// The date whose first moment is the lower end; null for none.
    pub from: Option<String>,
    /// The date whose first moment is the first one beyond; null for none.
    pub to: Option<String>,
}

/// Which legs find the documents. A disjunction joins both; a TENSOR or LEXICAL search has
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RetrievalMethod {
    Disjunction,
    Tensor,
    Lexical,
}

/// The ranking that orders the hits. A disjunction is ordered by rrf, and nothing else is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RankingMethod {
    Rrf,
    Tensor,
    Lexical,
}

/// How the rankings of two legs become one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReciprocalRankFusion {
    /// Weight of the tensor leg, 0 to 1; the lexical leg has the rest.
    pub alpha: f64,
    /// Flattens the ranks, at least 0.
    pub k: f64,
}

/// Documents of the index whose vectors join the query's own, behind them. Each vector of a
/// document has the document's weight; one of weight 0 has no say, and is not looked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentContext {
    pub documents: Vec<WeightedDocument>,
    /// Fields whose vectors join; null for all.
    pub tensor_fields: Option<Vec<String>>,
    /// Leaves them out of the hits, those of weight 0 too.
    pub exclude_input_documents: bool,
    /// Passes over a document that is not there.
    pub allow_missing_documents: bool,
    /// Passes over a document without such vectors.
    pub allow_missing_embeddings: bool,
}

/// A document of a context.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WeightedDocument {
    pub id: String,
    pub weight: f64,
}

/// A search by vectors.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TensorLeg {
    /// Fields to search; null for all.
    pub fields: Option<Vec<String>>,
    /// How scores of the vectors of some fields are changed, before the best of a document
    /// counts; null for none.
    pub boosts: Option<Vec<FieldBoost>>,
    /// Most candidates that a search of the graph keeps, or as many as it returns.
    pub ef_search: usize,
    /// Allows the use of the graph.
    pub approximate: bool,
    /// Share of documents passing the filter below which the search is exact, 0 to 1; null for
    /// none.
    pub approximate_threshold: Option<f32>,
    /// One for each row of the query vectors.
    pub weights: Vec<f64>,
    /// Null takes the only row as it is.
    pub interpolation: Option<Interpolation>,
    /// How its scores are changed; null for not at all.
    pub score_modifiers: Option<ScoreModifiers>,
    /// Nearest documents whose scores are changed and which are ranked anew; null for the
    /// engine's choice.
    pub rerank_depth: Option<usize>,
}

/// Makes of a score of the field weight * score + bias.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldBoost {
    pub field: String,
    pub weight: f64,
    pub bias: f64,
}

/// How weighted vectors become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Interpolation {
    Lerp,
    Nlerp,
    Slerp,
}

/// A search by words.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LexicalLeg {
    /// The query, quoted phrases and all.
    pub text: String,
    pub operand: LexicalOperand,
    /// Fields to search; null for all. BM25 counts the documents that have a word in each field
    /// by itself, with null in any field at all.
    pub fields: Option<Vec<String>>,
    /// How its scores are changed; null for not at all.
    pub score_modifiers: Option<ScoreModifiers>,
    /// Only the best so many by BM25 have their scores changed, and stay ahead of the others;
    /// null for all.
    pub modified_count: Option<usize>,
    /// Tag of the language that its words are in; null for that of the texts.
    pub language: Option<String>,
    /// The rules by which its words match others; null where they match themselves alone.
    #[serde(default)]
    pub typing: Option<Typing>,
    /// Weights of fields, which multiply what these add to scores; 1 for the others.
    #[serde(default)]
    pub field_weights: Vec<FieldWeight>,
    /// The words that are left out, unless nothing else is left; null for none.
    #[serde(default)]
    pub stop_words: Option<StopWords>,
    /// Moves, at most, that the words of a quoted phrase may be away from side by side. Default
    /// 0.
    #[serde(default = "LexicalLeg::phrase_slop_default")]
    pub phrase_slop: usize,
    /// The vector that is searched in place of words; null for words.
    #[serde(default)]
    pub sparse: Option<SparseQuery>,
    /// How its best hits are ranked anew by their texts; null for not at all.
    #[serde(default)]
    pub text_ranking: Option<TextRanking>,
}

impl LexicalLeg {
    fn phrase_slop_default() -> usize {
        0
    }
}

/// Multiplies scores above 0 by 1 + the sum of the weights of signals, each times the signal.
/// Hits of equal scores are in the order of their exactness.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextRanking {
    /// Weight of the share of words that stand as they were typed, at least 0.
    pub exactness: f64,
    /// Weight of how near to each other words stand, at least 0.
    pub proximity: f64,
    /// Weight of how early among the fields those with the words are, at least 0.
    pub field_order: f64,
    /// The order of fields; those that are not in it are last.
    pub fields: Vec<String>,
    /// Best hits that are ranked anew.
    pub candidates: usize,
}

/// Words outside of quotes that a query does without.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopWords {
    /// Tag of the language whose function words they are; null for that of the query.
    pub language: Option<String>,
    /// The words in place of a language's; null for these.
    pub words: Option<Vec<String>>,
}

/// The weight of one field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldWeight {
    pub field: String,
    /// Above 0.
    pub weight: f64,
}

/// A sparse vector that documents are scored by.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SparseQuery {
    /// The field of the vectors of documents.
    pub field: String,
    /// Integers of 32 bits.
    pub indices: Vec<usize>,
    /// One for each index.
    pub weights: Vec<f64>,
}

/// The rules by which words of a query match others.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Typing {
    pub prefix: PrefixWords,
    /// Fields with other words.
    pub prefix_fields: Vec<FieldPrefix>,
    /// The typos that words may have; null for none.
    pub typos: Option<Typos>,
    /// Words also match themselves in two parts, and two neighbours in one word.
    #[serde(default)]
    pub split_join: bool,
    /// Words also match longer ones that they end, in texts of a language that compounds.
    #[serde(default)]
    pub compounds: bool,
}

/// The typos that a search forgives in words that are not quoted and have no digit:
/// characters put in, left out, replaced or swapped.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Typos {
    /// Characters of a word from which on one is forgiven.
    pub one_from: usize,
    /// Characters from which on two are.
    pub two_from: usize,
    /// Fields in which words are exact.
    pub exact_fields: Vec<String>,
}

/// The words of a query that also match every word that they begin: none, the last, or all.
/// Quoted ones never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PrefixWords {
    None,
    Last,
    All,
}

/// The words that are beginnings in one field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldPrefix {
    pub field: String,
    pub prefix: PrefixWords,
}

/// How many of the words outside of quotes a document must hold, one or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LexicalOperand {
    Or,
    And,
}

/// A document to read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetDocumentRequest {
    pub document_id: String,
    /// Returns its vectors with it, as _tensor_facets.
    pub expose_facets: bool,
    /// As of SearchPlan.
    #[serde(default)]
    pub within: Option<String>,
}

/// Documents to read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetDocumentsRequest {
    /// In the order of the answer, repeated or not.
    pub document_ids: Vec<String>,
    /// Returns their vectors with them, as _tensor_facets.
    pub expose_facets: bool,
    /// Returns with them the tensors that an add takes back, as _tensors.
    #[serde(default)]
    pub expose_tensors: bool,
    /// As of SearchPlan.
    #[serde(default)]
    pub within: Option<String>,
}

/// An input that has no vector. The documents that need it are refused, and no others.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputFailure {
    /// Its place among the inputs.
    pub row: usize,
    /// Why, for people.
    pub message: String,
}

/// An input that has a vector for each of its parts, rather than one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputParts {
    /// Its place among the inputs.
    pub row: usize,
    /// The text stored and shown for each part; at least one.
    pub chunks: Vec<String>,
}

/// The failures and parts of some embedded inputs, beside their vectors.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmbeddingReport {
    /// Inputs that have one row of zeros.
    pub failures: Vec<InputFailure>,
    /// Inputs that have as many rows as they have parts.
    pub parts: Vec<InputParts>,
}

/// Documents to delete.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteDocumentsRequest {
    /// In the order of the answer.
    pub document_ids: Vec<String>,
    /// As of SearchPlan.
    #[serde(default)]
    pub within: Option<String>,
}

/// Which documents to read one after the other, and what of them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanRequest {
    /// A filter expression; null for every document.
    pub filter: Option<String>,
    /// As of SearchPlan.
    #[serde(default)]
    pub within: Option<String>,
    /// Fields of each document; null for all.
    pub attributes_to_retrieve: Option<Vec<String>>,
    /// Returns their vectors with them, as _tensor_facets.
    pub expose_facets: bool,
    /// Returns with them the tensors that an add takes back, as _tensors.
    pub expose_tensors: bool,
}

/// Queries that an index is to suggest from now on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutQueriesRequest {
    pub queries: Vec<QueryToSuggest>,
}

/// A query that may be meant by what somebody types.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueryToSuggest {
    /// As it is shown.
    pub query: String,
    /// How often it is asked, in any unit; a negative one counts as 0.
    pub popularity: f64,
    /// A JSON object, answered as it is.
    pub metadata: String,
}

/// Queries by their texts; case, accents and blanks around words do not matter.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueriesRequest {
    pub queries: Vec<String>,
}

/// A page of the queries that an index suggests.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanQueriesRequest {
    /// The cursor of the page before; null for the first page.
    pub cursor: Option<String>,
    /// Most queries.
    pub limit: usize,
}

/// A typed text, and how suggestions for it are found and ordered. The docs of crates/suggest
/// define each member.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SuggestPlan {
    /// The text that was typed so far; nothing or * for every query.
    pub text: String,
    /// Most suggestions, at least 1.
    pub limit: usize,
    /// Most edits of a token, of which no more than 2 are tried.
    pub edits_max: usize,
    /// Least characters of a token that may have edits.
    pub fuzzy_chars_min: usize,
    /// Weight of the logarithm of the popularity.
    pub popularity_weight: f64,
    /// Weight of the words that match without an edit.
    pub bm25_weight: f64,
    /// Requires every token to match.
    pub matches_all: bool,
}

/// The counts and sizes of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineStats {
    pub number_of_documents: usize,
    /// Those of replaced documents among them, until they are reclaimed.
    pub number_of_vectors: usize,
    /// Queries that it suggests.
    pub number_of_suggestions: usize,
    /// The sum of memory.
    pub memory_bytes: usize,
    pub memory: IndexMemory,
    /// Null where the index is on other machines.
    pub work: Option<IndexWork>,
    /// The counts of its audits; null where the engine does not compare documents with what it
    /// derived from them.
    pub audit: Option<AuditFigures>,
}

/// The work that waits for an index, and what it has done since it was opened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexWork {
    /// Writes that wait for the writer.
    pub queued_writes: usize,
    /// Vectors that wait to be linked, which searches scan meanwhile.
    pub unlinked_vectors: usize,
    /// Vectors that were linked in haste, and wait to be linked better.
    pub vectors_to_relink: usize,
    /// Documents whose words are in memory alone.
    pub unflushed_documents: usize,
    /// Files of words that each search reads, and that merges make fewer.
    pub text_segments: usize,
    /// Bytes on the disk of the file of documents.
    pub store_bytes: usize,
    /// Times that this file gave its free pages back.
    pub compactions: usize,
    /// Filters whose documents were known.
    pub filter_hits: usize,
    /// Filters whose documents were looked up.
    pub filter_misses: usize,
    /// Changes of scores whose inputs were known.
    pub score_hits: usize,
    /// Changes of scores whose inputs were read.
    pub score_misses: usize,
}

/// Counts of the audits of an index since the engine was opened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditFigures {
    /// Audits that passed over all documents.
    pub rounds: usize,
    /// Documents that were compared.
    pub documents: usize,
    pub differences: AuditDifferences,
    /// Vectors that no links led to and that were linked again.
    pub relinked: usize,
}

/// Documents that differed from what is stored, by structure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditDifferences {
    /// The set of living versions.
    pub ordinals: usize,
    /// Values for filters.
    pub columns: usize,
    /// Words.
    pub text: usize,
    pub vectors: usize,
    /// Vectors that no links led to, where these were many.
    pub graph: usize,
}

/// Bytes of memory that an index holds, by what they are for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexMemory {
    /// Vectors, their codes and graphs.
    pub vectors: usize,
    /// The values that filters and score modifiers read, and which versions are alive.
    pub columns: usize,
    /// Words that are not in files yet, and what is known of the files.
    pub lexical: usize,
    /// The documents that passed the filters asked for lately.
    pub filters: usize,
    /// Queries that are suggested.
    pub suggestions: usize,
    /// Pages of the store.
    pub documents: usize,
}

/// The problems of an engine at this moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineHealth {
    /// The worst of indexes, green without any.
    pub status: HealthStatus,
    /// Every index that is not green.
    pub indexes: Vec<IndexHealth>,
}

/// An index that is not green.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexHealth {
    pub name: String,
    pub status: Severity,
    /// Code of the error that calls to this index fail with.
    pub code: String,
    /// The event, and the remedy.
    pub reason: String,
}

/// The state of the files of an index that nobody uses.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexVerification {
    /// The name of the index, or of its folder where that cannot be read.
    pub name: String,
    /// The folder of its files below the data directory.
    pub folder: String,
    /// Documents that were read.
    pub documents: usize,
    /// Vectors of these.
    pub vectors: usize,
    pub problems: Vec<FileProblem>,
    /// Problems that are not listed.
    pub more_problems: usize,
}

/// Files that are not as they were written.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileProblem {
    pub kind: FileProblemKind,
    /// The part of the index.
    pub part: String,
    pub reason: String,
    /// The thing to do.
    pub remedy: String,
}

/// Truth is kept nowhere else; what is derived from it is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FileProblemKind {
    Truth,
    Derived,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum HealthStatus {
    Green,
    Yellow,
    Red,
}

/// Worst last. Yellow answers everything while something derived from the documents is made
/// anew; red cannot read or write something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Yellow,
    Red,
}

/// The facts that the creation of an index worked out and later calls rely on, whatever
/// becomes of its model.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedSettings {
    /// Length of the vectors.
    pub dimensions: usize,
    /// Empty for none.
    #[serde(default)]
    pub text_chunk_prefix: String,
    /// Tells that the model can embed at all; no_model cannot. Default true.
    #[serde(default = "ResolvedSettings::embeds_default")]
    pub embeds: bool,
    /// Cuts texts behind the full stops of every script and, at the latest, where the model would
    /// read no further; false, or absent, for indexes made before that, which keep their chunks.
    #[serde(default)]
    pub chunks_every_script: bool,
}

impl ResolvedSettings {
    fn embeds_default() -> bool {
        true
    }
}

/// Where a body stops being JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonSyntaxError {
    /// From 1.
    pub line: usize,
    /// In bytes, from 1.
    pub column: usize,
    /// Tells that it is right as far as it goes; the missing part follows the last byte.
    pub ends_early: bool,
}
