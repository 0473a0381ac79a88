use std::sync::Arc;

use pelorus_columns::{Callbacks, Columns, FieldValue, MultiVector, Schema};
use pelorus_filter::parse;
use pelorus_kernels::BitSet;

fn unstructured() -> Columns {
    Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    })
}

fn vectors(numbers: &[&[f32]]) -> Arc<MultiVector> {
    let numbers: Vec<Vec<f32>> = numbers.iter().map(|vector| vector.to_vec()).collect();
    Arc::new(MultiVector::new(&numbers).unwrap())
}

fn of(numbers: &[&[f32]]) -> Vec<(String, FieldValue)> {
    vec![("m".to_owned(), FieldValue::Multi(vectors(numbers)))]
}

fn dimensions(columns: &Columns) -> Vec<usize> {
    let vectors = columns.multi_vectors("m");
    vectors
        .into_iter()
        .flat_map(|all| all.dimensions())
        .collect()
}

#[test]
fn a_column_has_the_vectors_of_the_documents_that_are_there() {
    let mut columns = unstructured();
    let without = columns.memory_bytes();
    columns.insert(1, "a", &of(&[&[1.0, 0.0], &[0.0, 1.0]]));
    columns.insert(2, "b", &of(&[&[1.0, 0.0, 0.0]]));
    assert_eq!(dimensions(&columns), [2, 3]);
    let stored = columns.multi_vectors("m").unwrap();
    assert_eq!(stored.get(1), Some(&vectors(&[&[1.0, 0.0], &[0.0, 1.0]])));
    assert_eq!(stored.get(3), None);
    assert!(columns.holds(1, "a", &of(&[&[1.0, 0.0], &[0.0, 1.0]])));
    for other in [&[&[1.0, 0.0][..]][..], &[&[0.0, 1.0], &[1.0, 0.0]]] {
        assert!(!columns.holds(1, "a", &of(other)), "{other:?}");
    }
    columns.insert(2, "b", &of(&[&[0.5, 0.5]]));
    assert_eq!(dimensions(&columns), [2]);
    columns.insert(1, "a", &[("m".to_owned(), FieldValue::Int(3))]);
    assert_eq!(columns.multi_vectors("m").unwrap().get(1), None);
    columns.remove(2);
    assert!(columns.multi_vectors("m").is_none() && columns.has_field("m"));
    columns.remove(1);
    let many: Vec<Vec<f32>> = vec![vec![1.0; 1000]; 100];
    let many: Vec<&[f32]> = many.iter().map(Vec::as_slice).collect();
    columns.insert(3, "c", &of(&many));
    let with = columns.memory_bytes();
    assert!(
        (100_000..150_000).contains(&(with - without)),
        "{with} and {without}"
    );
}

#[test]
fn its_documents_exist_to_filters_and_equal_nothing() {
    let mut columns = unstructured();
    columns.insert(1, "a", &of(&[&[7.0, 1.0]]));
    columns.insert(4, "c", &[("n".to_owned(), FieldValue::Int(7))]);
    let matches = |filter: &str| -> Vec<u32> {
        let callbacks = Callbacks::<pelorus_columns::ColumnError> {
            contains: &|_, _| Ok(BitSet::default()),
            go_on: &|| Ok(()),
        };
        let filter = parse(filter).unwrap();
        let matches = columns.evaluate(&filter, &BitSet::full(9), &callbacks);
        matches.unwrap().iter().collect()
    };
    assert_eq!(matches("m EXISTS"), [1]);
    assert!(matches("m:7").is_empty() && matches("m:[1 TO 9]").is_empty());
}
