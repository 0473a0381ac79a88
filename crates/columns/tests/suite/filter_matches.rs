//! A filter's documents brought up to date over many views are those of a fresh evaluation.

use std::cell::Cell;

use pelorus_columns::{Callbacks, ColumnError, Columns, FieldValue, FilterMatches, Schema};
use pelorus_filter::Filter;
use pelorus_kernels::BitSet;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A change between two views.
#[derive(Debug, Clone)]
enum Step {
    /// So many new documents at the next ordinals, the first of them after a gap.
    Add { gap: u32, count: u32 },
    /// The living document of this rank dies; a new version may take its place.
    Replace { rank: usize, again: bool },
    /// The living document of this rank gets the values of another ordinal.
    Change { rank: usize, values: u32 },
    /// The columns forget the dead.
    Reclaim,
}

fn step() -> impl Strategy<Value = Step> {
    let gap = prop_oneof![8 => Just(0), 1 => 1..70_u32, 1 => 900..2100_u32];
    let count = prop_oneof![6 => 1..6_u32, 1 => 400..1300_u32];
    prop_oneof![
        4 => (gap, count).prop_map(|(gap, count)| Step::Add { gap, count }),
        4 => (any::<usize>(), any::<bool>()).prop_map(|(rank, again)| Step::Replace { rank, again }),
        3 => (any::<usize>(), 0..3000_u32).prop_map(|(rank, values)| Step::Change { rank, values }),
        1 => Just(Step::Reclaim),
    ]
}

fn filter() -> impl Strategy<Value = Filter> {
    let texts = [
        "color:blue",
        "size:[3 TO 5]",
        "size:[* TO 1]",
        "_id:i7",
        "new:true",
    ];
    let more = ["_id IN (i1, i3, i8)", "tags:a", "nope:1", "text CONTAINS w"];
    let term = prop::sample::select([&texts[..], &more[..]].concat())
        .prop_map(|text| pelorus_filter::parse(text).expect("a filter"));
    term.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Filter::all_of),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Filter::any_of),
            inner.prop_map(Filter::negated),
        ]
    })
}

/// The fields that follow from an ordinal.
fn fields(doc: u32) -> Vec<(String, FieldValue)> {
    let color = if doc.is_multiple_of(3) { "Blue" } else { "red" };
    let mut fields = vec![
        ("color".to_owned(), FieldValue::Text(color.to_owned())),
        ("size".to_owned(), FieldValue::Int(i64::from(doc % 7))),
    ];
    if doc % 5 == 1 {
        let tags = ["a", "b"].map(str::to_owned).to_vec();
        fields.push(("tags".to_owned(), FieldValue::TextList(tags)));
    }
    if doc > 1500 {
        fields.push(("new".to_owned(), FieldValue::Bool(doc.is_multiple_of(2))));
    }
    fields
}

struct Model {
    columns: Columns,
    alive: BitSet,
    dead: Vec<u32>,
    /// In their order.
    changed: Vec<u32>,
    end: u32,
}

impl Model {
    fn add(&mut self, doc: u32) {
        self.columns
            .insert(doc, &format!("i{}", doc % 10), &fields(doc));
        self.alive.insert(doc);
        self.end = doc + 1;
    }

    fn living(&self, rank: usize) -> Option<u32> {
        let living: Vec<u32> = self.alive.iter().collect();
        living.get(rank % living.len().max(1)).copied()
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Add { gap, count } => {
                let first = self.end + gap;
                (first..first + count).for_each(|doc| self.add(doc));
            }
            Step::Replace { rank, again } => {
                if let Some(doc) = self.living(rank) {
                    self.alive.remove(doc);
                    self.dead.push(doc);
                    if again {
                        self.add(self.end);
                    }
                }
            }
            Step::Change { rank, values } => {
                if let Some(doc) = self.living(rank) {
                    let id = format!("i{}", doc % 10);
                    self.columns.insert(doc, &id, &fields(values));
                    self.changed.push(doc);
                }
            }
            Step::Reclaim => self.dead.drain(..).for_each(|doc| self.columns.remove(doc)),
        }
    }

    /// The documents that pass, from those that passed `before`, when so many documents had been
    /// changed.
    fn matches(&self, filter: &Filter, before: Option<&(FilterMatches, usize)>) -> FilterMatches {
        let words: BitSet = (0..self.end + 50).filter(|doc| doc % 4 == 0).collect();
        let contains = |_: &str, _: &str| Ok::<_, ColumnError>(words.clone());
        let (alive, end) = (&self.alive, self.end);
        match before {
            None => self.columns.matches(
                filter,
                alive,
                end,
                &Callbacks {
                    contains: &contains,
                    go_on: &|| Ok(()),
                },
            ),
            Some((before, changes)) => {
                let changed = &self.changed[*changes..];
                let columns = &self.columns;
                columns.matches_since(
                    before,
                    filter,
                    alive,
                    end,
                    changed,
                    &Callbacks {
                        contains: &contains,
                        go_on: &|| Ok(()),
                    },
                )
            }
        }
        .expect("only terms with a meaning")
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_passes_is_kept_up_to_date(
        steps in prop::collection::vec(step(), 1..40),
        filters in prop::collection::vec(filter(), 1..5),
        lazy in 1..4_usize,
    ) {
        let schema = Schema::Unstructured { filter_string_max_length: 50, collapse_field: None };
        let columns = Columns::new(schema);
        let mut model = Model {
            columns,
            alive: BitSet::default(),
            dead: Vec::new(),
            changed: Vec::new(),
            end: 0,
        };
        let mut kept: Vec<_> = filters.iter().map(|f| (model.matches(f, None), 0)).collect();
        for (at, step) in steps.iter().enumerate() {
            model.take(step);
            for (nth, (filter, kept)) in filters.iter().zip(&mut kept).enumerate() {
                // Some filters are asked for again only after several views.
                if (at + nth) % lazy == 0 {
                    *kept = (model.matches(filter, Some(kept)), model.changed.len());
                    let fresh = model.matches(filter, None);
                    prop_assert_eq!(&kept.0, &fresh, "{} after step {}", filter, at);
                    prop_assert_eq!(kept.0.count(), kept.0.documents().len());
                }
            }
        }
    }
}

#[test]
fn documents_known_before_are_not_looked_at_again() {
    let schema = Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    };
    let mut columns = Columns::new(schema);
    (0..3000).for_each(|doc| columns.insert(doc, "x", &fields(doc)));
    let filter = pelorus_filter::parse("color:blue").expect("a filter");
    let contains = |_: &str, _: &str| unreachable!("not asked");
    let alive: BitSet = (0..3000).collect();
    let before = columns
        .matches::<ColumnError>(
            &filter,
            &alive,
            3000,
            &Callbacks {
                contains: &contains,
                go_on: &|| Ok(()),
            },
        )
        .expect("an evaluated filter");
    // Were document 0 read again, it would be missing.
    columns.insert(0, "x", &[]);
    columns.insert(1025, "x", &fields(0));
    columns.insert(3000, "x", &fields(3000));
    let alive = (0..3001).collect();
    let after = columns
        .matches_since::<ColumnError>(
            &before,
            &filter,
            &alive,
            3001,
            &[1025],
            &Callbacks {
                contains: &contains,
                go_on: &|| Ok(()),
            },
        )
        .expect("an evaluated filter");
    for doc in [0, 1025, 3000] {
        assert!(after.documents().contains(doc), "{doc}");
    }
    assert_eq!(after.count(), 1002);
}

/// The reason that an evaluation ends before its end.
#[derive(Debug, PartialEq)]
struct Ended;

impl From<ColumnError> for Ended {
    fn from(error: ColumnError) -> Self {
        unreachable!("the filter has a meaning: {error}")
    }
}

#[test]
fn an_evaluation_that_is_to_end_does_before_any_term_and_within_long_lists() {
    let mut columns = Columns::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    });
    (0..100).for_each(|doc| columns.insert(doc, &format!("d{doc}"), &fields(doc)));
    let ids: Vec<String> = (50..40_000).map(|doc| format!("d{doc}")).collect();
    let list = Filter::In {
        field: "_id".to_owned(),
        values: ids,
    };
    let not = pelorus_filter::parse("NOT color:blue").expect("a filter");
    let filter = Filter::And(vec![list, not]);
    let alive: BitSet = (0..100).collect();
    let evaluate = |most: usize| {
        let asked = Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            if asked.get() > most {
                Err(Ended)
            } else {
                Ok(())
            }
        };
        let found = columns.evaluate(
            &filter,
            &alive,
            &Callbacks {
                contains: &|_, _| unreachable!("not asked"),
                go_on: &go_on,
            },
        );
        (found, asked.get())
    };
    let (whole, asked) = evaluate(usize::MAX);
    let passing = (50..100).filter(|doc| doc % 3 != 0);
    assert_eq!(whole, Ok(passing.collect()));
    // Each filter within the whole is asked about, and a list three times.
    assert_eq!(asked, 6);
    for most in 0..asked {
        assert_eq!(evaluate(most), (Err(Ended), most + 1));
    }
}
