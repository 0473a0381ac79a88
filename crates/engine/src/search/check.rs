//! Checks that the index has the fields that the plan names. The form of a name needs no index and
//! is checked before a plan is made.

use pelorus_documents::{EXPIRES_AT, IndexKind, StructuredField, StructuredFields};

use super::late_interaction::check_dimensions;
use crate::error::{FilterError, SearchError};
use crate::generated::SearchPlan;
use crate::index::Index;
use crate::index::definition::Definition;

/// The fields of an index that searches may name.
pub(crate) trait KnownFields {
    fn definition(&self) -> &Definition;
    fn has_tensor_field(&self, name: &str) -> bool;
    fn tensor_field_names(&self) -> Vec<String>;
    fn has_lexical_field(&self, name: &str) -> bool;
    fn lexical_field_names(&self) -> Vec<String>;
    /// Every text field that documents have had, sorted.
    fn texts_had(&self) -> Vec<String>;

    /// The name of the index.
    fn name(&self) -> &str {
        &self.definition().documents.index
    }
}

impl KnownFields for Index {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn has_tensor_field(&self, name: &str) -> bool {
        self.has_tensor_field(name)
    }

    fn tensor_field_names(&self) -> Vec<String> {
        self.tensor_field_names()
    }

    fn has_lexical_field(&self, name: &str) -> bool {
        self.has_lexical_field(name)
    }

    fn lexical_field_names(&self) -> Vec<String> {
        self.lexical_field_names()
    }

    fn texts_had(&self) -> Vec<String> {
        self.lexical.fields()
    }
}

pub(super) fn check(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    check_collapse(index, plan)?;
    check_diversity(index, plan)?;
    if let Some(declared) = index.definition().structured() {
        check_legs(index.name(), declared, plan)?;
    }
    check_tensor_fields(index, plan)?;
    check_lexical_fields(index, plan)?;
    check_sparse_field(index, plan)?;
    check_late_field(index, plan)?;
    check_context(index, plan)?;
    check_modifiers(index, plan)?;
    check_facets(index, plan)?;
    check_retrieved(index, plan)
}

/// Checks that CONTAINS may look into a field.
pub(crate) fn check_contains(index: &dyn KnownFields, field: &str) -> Result<(), FilterError> {
    if index.definition().structured().is_some() {
        return Err(FilterError::ContainsInStructured);
    }
    let available = index.texts_had();
    match available.iter().any(|name| name == field) {
        true => Ok(()),
        false => Err(FilterError::ContainsField {
            index: index.name().to_owned(),
            field: field.to_owned(),
            available,
        }),
    }
}

fn check_collapse(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let Some(collapse) = &plan.collapse else {
        return Ok(());
    };
    match &index.definition().documents.kind {
        IndexKind::Structured(_) => Err(SearchError::CollapseInStructured),
        IndexKind::Unstructured { collapse_field, .. } => match collapse_field {
            Some(field) if *field == collapse.field => Ok(()),
            _ => Err(SearchError::NoCollapseField {
                field: collapse.field.clone(),
            }),
        },
    }
}

/// An unstructured index without vectors is only empty of them so far; a structured one will never have any.
fn check_diversity(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let declared = index.definition().structured();
    let lacks_vectors = declared.is_some_and(|declared| declared.tensor_fields.is_empty());
    match plan.diversity.is_some() && lacks_vectors {
        false => Ok(()),
        true => Err(SearchError::NothingToDiversifyBy {
            index: index.name().to_owned(),
        }),
    }
}

/// Fields of an unstructured index that nobody has are only empty. In a structured one those can be
/// counted that filters read, and the numbers that score modifiers read.
fn check_facets(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let (Some(facets), Some(declared)) = (&plan.facets, index.definition().structured()) else {
        return Ok(());
    };
    let is_read = |field: &StructuredField| field.has("filter") || field.has("score_modifier");
    let known = |name: &str| {
        let map = name.split_once('.').map(|(map, _)| map);
        let names = [Some(name), map].into_iter().flatten();
        names
            .into_iter()
            .any(|name| declared.get(name).is_some_and(is_read))
    };
    match facets.fields.iter().find(|facet| !known(&facet.field)) {
        None => Ok(()),
        Some(facet) => {
            let available = declared.fields.iter().filter(|field| is_read(field));
            let available = available.map(|field| field.name.clone()).collect();
            Err(unknown(index, "filterable field", &facet.field, available))
        }
    }
}

/// Fields of an unstructured index that nobody has are only without vectors.
fn check_context(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let (Some(context), Some(declared)) = (&plan.context, index.definition().structured()) else {
        return Ok(());
    };
    let known = &declared.tensor_fields;
    let mut fields = context.tensor_fields.iter().flatten();
    match fields.find(|field| !known.contains(field)) {
        None => Ok(()),
        Some(unknown) => Err(SearchError::UnknownContextField {
            index: index.name().to_owned(),
            field: unknown.clone(),
            available: known.clone(),
        }),
    }
}

/// An unstructured index without such fields is only empty so far: it has no hits. A
/// structured one will never have any.
fn check_legs(
    index: &str,
    declared: &StructuredFields,
    plan: &SearchPlan,
) -> Result<(), SearchError> {
    let mut fields = declared.fields.iter();
    let lacks_tensor = plan.tensor.is_some() && declared.tensor_fields.is_empty();
    let has_words = plan
        .lexical
        .as_ref()
        .is_some_and(|leg| leg.sparse.is_none());
    let lacks_lexical = has_words && !fields.any(|field| field.has("lexical_search"));
    if !lacks_tensor && !lacks_lexical {
        return Ok(());
    }
    let index = index.to_owned();
    Err(match (&plan.tensor, &plan.lexical) {
        (Some(_), Some(_)) => SearchError::NoHybridFields { index },
        (Some(_), None) => SearchError::NoTensorFields { index },
        (None, _) => SearchError::NoLexicalFields { index },
    })
}

fn check_tensor_fields(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let mut fields = plan.tensor.iter().flat_map(|leg| &leg.fields).flatten();
    match fields.find(|name| !index.has_tensor_field(name)) {
        None => Ok(()),
        Some(field) => Err(unknown(
            index,
            "tensor field",
            field,
            index.tensor_field_names(),
        )),
    }
}

fn check_lexical_fields(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let searched = plan.lexical.iter().flat_map(|leg| &leg.fields);
    let highlights = plan.lexical_highlights.iter();
    let highlighted = highlights.flat_map(|asked| &asked.fields);
    let typing = plan.lexical.iter().flat_map(|leg| &leg.typing);
    let typed = typing.flat_map(|typing| {
        let completed = typing.prefix_fields.iter().map(|one| &one.field);
        let typos = typing.typos.iter();
        completed.chain(typos.flat_map(|typos| &typos.exact_fields))
    });
    let weights = plan.lexical.iter().flat_map(|leg| &leg.field_weights);
    let weighted = weights.map(|one| &one.field);
    let named = searched.chain(highlighted).flatten();
    let rankings = plan.lexical.iter().flat_map(|leg| &leg.text_ranking);
    let ordered = rankings.flat_map(|ranking| &ranking.fields);
    let mut fields = named.chain(typed).chain(weighted).chain(ordered);
    match fields.find(|name| !index.has_lexical_field(name)) {
        None => Ok(()),
        Some(field) => Err(unknown(
            index,
            "lexically searchable field",
            field,
            index.lexical_field_names(),
        )),
    }
}

fn check_sparse_field(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let sparse = plan.lexical.as_ref().and_then(|leg| leg.sparse.as_ref());
    let field = sparse.map(|sparse| &sparse.field);
    check_vector_field(index, field, "sparse_vector", "sparse vector field")
}

fn check_late_field(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let Some(late) = &plan.late_interaction else {
        return Ok(());
    };
    let kind = "multi vector field";
    check_vector_field(index, Some(&late.field), "multi_vector", kind)?;
    let declared = index.definition().structured();
    let field = declared.and_then(|declared| declared.get(&late.field));
    let dimensions = field.and_then(|field| field.dimensions);
    check_dimensions(late, dimensions.into_iter())
}

/// Checks that a field of vectors is declared as one. An unstructured index without such vectors is only empty of them so
/// far.
fn check_vector_field(
    index: &dyn KnownFields,
    field: Option<&String>,
    declared_as: &str,
    kind: &'static str,
) -> Result<(), SearchError> {
    let (Some(field), Some(declared)) = (field, index.definition().structured()) else {
        return Ok(());
    };
    let is_one = |field: &&StructuredField| field.kind == declared_as;
    if declared.get(field).as_ref().is_some_and(is_one) {
        return Ok(());
    }
    let available = declared.fields.iter().filter(is_one);
    let available = available.map(|field| field.name.clone()).collect();
    Err(unknown(index, kind, field, available))
}

/// `kind` names one such field.
fn unknown(
    index: &dyn KnownFields,
    kind: &'static str,
    field: &str,
    available: Vec<String>,
) -> SearchError {
    SearchError::UnknownField {
        index: index.name().to_owned(),
        kind,
        field: field.to_owned(),
        available,
    }
}

/// Any field of an unstructured index may have numbers. In a structured one the entry `map.key` is
/// declared by its map, whatever the key.
fn check_modifiers(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let Some(declared) = index.definition().structured() else {
        return Ok(());
    };
    let tensor = plan.tensor.as_ref();
    let lexical = plan.lexical.as_ref();
    let stages = [
        tensor.and_then(|leg| leg.score_modifiers.as_ref()),
        lexical.and_then(|leg| leg.score_modifiers.as_ref()),
        plan.rescoring.as_ref().map(|fused| &fused.score_modifiers),
    ];
    let modifiers = stages.into_iter().flatten();
    let mut modifiers = modifiers.flat_map(|stage| stage.multiply.iter().chain(&stage.add));
    let may_modify = |name: &str| {
        let name = name.split_once('.').map_or(name, |(map, _)| map);
        let field = declared.get(name);
        field.is_some_and(|field| field.has("score_modifier"))
    };
    let Some(modifier) = modifiers.find(|modifier| !may_modify(&modifier.field)) else {
        return Ok(());
    };
    let fields = declared.fields.iter();
    let available = fields.filter(|field| field.has("score_modifier"));
    let available = available.map(|field| field.name.clone()).collect();
    Err(unknown(
        index,
        "score modifier field",
        &modifier.field,
        available,
    ))
}

fn check_retrieved(index: &dyn KnownFields, plan: &SearchPlan) -> Result<(), SearchError> {
    let (Some(fields), Some(declared)) = (
        &plan.attributes_to_retrieve,
        index.definition().structured(),
    ) else {
        return Ok(());
    };
    let is_unknown = |field: &&String| {
        !matches!(field.as_str(), "_id" | EXPIRES_AT) && declared.get(field).is_none()
    };
    match fields.iter().find(is_unknown) {
        None => Ok(()),
        Some(field) => {
            let available = declared.fields.iter().map(|f| f.name.clone()).collect();
            Err(unknown(index, "field", field, available))
        }
    }
}
