//! The definitions that an index on a cluster may have.

use pelorus_engine::elsewhere::Definition;
use pelorus_engine::{DefinitionError, Result};
use pelorus_hnsw::NumericType;
use pelorus_lexical::Segmentation;

use crate::layout::space_type;

/// Lucene's bound on the candidates of an insertion into a graph.
const EF_CONSTRUCTION_MAX: usize = 3_200;

/// Checks the definition of the new index `name`, which is JSON.
///
/// # Errors
/// `invalid_argument` for one that cannot be read, no index can be made with, or has vectors of which Lucene has no graph.
pub fn check_definition(name: &str, json: &[u8]) -> Result<()> {
    let definition = Definition::parse(name, json)?;
    definition.check()?;
    let not_served = |member, expected, received| DefinitionError::NotOnCluster {
        member,
        expected,
        received,
    };
    let metric = definition.metric;
    if space_type(metric).is_none() {
        let spaces = "prenormalized-angular, angular, dotproduct and euclidean";
        return Err(not_served("spaceType", spaces, metric.to_string()).into());
    }
    let numbers = definition.documents.numbers;
    if numbers != NumericType::Float {
        return Err(not_served("vectorNumericType", "float", numbers.to_string()).into());
    }
    let segmentation = definition.segmentation;
    if segmentation != Segmentation::Pairs {
        let received = segmentation.as_str().to_owned();
        return Err(not_served("textSegmentation", "pairs", received).into());
    }
    if definition.folds_accents {
        let received = "caseAndAccents".to_owned();
        return Err(not_served("filterFolding", "case", received).into());
    }
    let ef_construction = definition.ef_construction;
    if ef_construction > EF_CONSTRUCTION_MAX {
        let received = ef_construction.to_string();
        return Err(not_served("efConstruction", "at most 3200", received).into());
    }
    Ok(())
}

/// Checks that the index `name` may have the definition `new` in place of `old`.
///
/// # Errors
/// `invalid_argument` for one that cannot be read, or by which documents would be stored or searched otherwise.
pub fn check_redefinition(name: &str, old: &[u8], new: &[u8]) -> Result<()> {
    let old = Definition::parse(name, old)?;
    Definition::parse(name, new)?.check_replaces(&old)?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn with(settings: &Value) -> Vec<u8> {
        let mut all = json!({
            "type": "unstructured", "model": "m",
            "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
            "annParameters": {"spaceType": "dotproduct", "parameters": {"efConstruction": 8, "m": 4}},
        });
        let all_members = all.as_object_mut().unwrap();
        all_members.extend(settings.as_object().unwrap().clone());
        let definition = json!({"settings": all, "resolved": {"dimensions": 3, "embeds": true}});
        definition.to_string().into_bytes()
    }

    fn graph(space: &str, ef_construction: usize) -> Value {
        let parameters = json!({"efConstruction": ef_construction, "m": 4});
        json!({"annParameters": {"spaceType": space, "parameters": parameters}})
    }

    #[test]
    fn a_definition_without_a_graph_of_lucene_is_refused_by_its_member() {
        check_definition("a", &with(&graph("euclidean", 3_200))).unwrap();
        for (settings, member) in [
            (graph("geodegrees", 8), "spaceType"),
            (graph("linf", 8), "spaceType"),
            (graph("dotproduct", 3_201), "efConstruction"),
            (
                json!({"vectorNumericType": "bfloat16"}),
                "vectorNumericType",
            ),
            (json!({"textSegmentation": "words"}), "textSegmentation"),
            (json!({"filterFolding": "caseAndAccents"}), "filterFolding"),
        ] {
            let error = check_definition("a", &with(&settings)).unwrap_err();
            assert_eq!(error.code(), "invalid_argument");
            assert!(error.to_string().contains(member), "{error}");
        }
    }

    #[test]
    fn another_definition_may_differ_in_what_only_callers_act_on() {
        let old = with(&json!({}));
        check_redefinition("a", &old, &with(&json!({"modelProperties": {"note": 1}}))).unwrap();
        for other in [graph("euclidean", 8), json!({"model": "other"})] {
            let error = check_redefinition("a", &old, &with(&other)).unwrap_err();
            assert_eq!(error.code(), "invalid_argument");
        }
    }
}
