use pelorus_columns::{Callbacks, Columns, FieldValue, Schema, SparseVector};
use pelorus_filter::parse;
use pelorus_kernels::BitSet;

fn unstructured() -> Columns {
    Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    })
}

fn of(entries: &[(u32, f32)]) -> Vec<(String, FieldValue)> {
    let vector = SparseVector::new(entries.to_vec()).unwrap();
    vec![("s".to_owned(), FieldValue::Sparse(vector))]
}

fn found(columns: &Columns, query: &[(u32, f32)]) -> Vec<(u32, f64)> {
    let query = SparseVector::new(query.to_vec()).unwrap();
    let go_on = || Ok::<(), std::convert::Infallible>(());
    let index = columns.sparse_vectors("s");
    index.map_or_else(Vec::new, |index| {
        index
            .search(&query, 10, &BitSet::full(100), &go_on)
            .unwrap()
    })
}

#[test]
fn a_column_has_the_vectors_of_the_documents_that_are_there() {
    let mut columns = unstructured();
    columns.insert(1, "a", &of(&[(7, 1.0), (9, 2.0)]));
    columns.insert(2, "b", &of(&[(9, 0.5)]));
    columns.insert(3, "c", &of(&[]));
    assert_eq!(found(&columns, &[(9, 2.0)]), [(1, 4.0), (2, 1.0)]);
    assert!(columns.holds(1, "a", &of(&[(7, 1.0), (9, 2.0)])) && columns.holds(3, "c", &of(&[])));
    for other in [
        &[(7, 1.0)][..],
        &[(7, 1.0), (9, 1.0)],
        &[(7, 1.0), (9, 2.0), (10, 1.0)],
        &[],
    ] {
        assert!(!columns.holds(1, "a", &of(other)), "{other:?}");
    }
    columns.insert(1, "a", &of(&[(9, 0.25)]));
    assert_eq!(found(&columns, &[(9, 2.0), (7, 1.0)]), [(2, 1.0), (1, 0.5)]);
    columns.remove(2);
    assert_eq!(found(&columns, &[(9, 2.0)]), [(1, 0.5)]);
    columns.insert(1, "a", &[("s".to_owned(), FieldValue::Int(3))]);
    columns.remove(3);
    assert!(columns.sparse_vectors("s").is_none() && columns.has_field("s"));
}

#[test]
fn its_documents_exist_to_filters_and_equal_nothing() {
    let mut columns = unstructured();
    columns.insert(1, "a", &of(&[(7, 1.0)]));
    columns.insert(2, "b", &of(&[]));
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
    assert_eq!(matches("s EXISTS"), [1, 2]);
    assert!(matches("s:7").is_empty() && matches("s:[1 TO 9]").is_empty());
}
