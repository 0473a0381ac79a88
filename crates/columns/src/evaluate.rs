use pelorus_filter::Filter;
use pelorus_kernels::BitSet;

use crate::ColumnError;
use crate::columns::Columns;
use crate::marks::Marks;
use crate::range::Limits;
use crate::rules::Rules;

/// The questions of a filter's evaluation to its caller.
pub struct Callbacks<'a, E> {
    /// Answers `field CONTAINS value`, for which the columns have no text, with all its documents. Says
    /// itself when the index has no such field or keyword.
    pub contains: &'a dyn Fn(&str, &str) -> Result<BitSet, E>,
    /// Asked before every term and within long lists, so that nothing goes on for longer than passing
    /// over one column takes. An error ends the evaluation.
    pub go_on: &'a dyn Fn() -> Result<(), E>,
}

impl Columns {
    /// The documents of `alive` for which `filter` is true.
    ///
    /// Every term is evaluated, even where others already decide: a term without meaning for this
    /// index is an error wherever it stands.
    ///
    /// # Errors
    /// A [`ColumnError`] of the first term that the index cannot be asked, or that of a callback.
    pub fn evaluate<E: From<ColumnError>>(
        &self,
        filter: &Filter,
        alive: &BitSet,
        callbacks: &Callbacks<'_, E>,
    ) -> Result<BitSet, E> {
        self.evaluate_from(0, filter, alive, callbacks)
    }

    /// [`Columns::evaluate`] of the documents from `first` on, the first ordinal of a block. Member
    /// `i` of `alive` and of the answer stands for the ordinal `first + i`.
    pub(crate) fn evaluate_from<E: From<ColumnError>>(
        &self,
        first: u32,
        filter: &Filter,
        alive: &BitSet,
        callbacks: &Callbacks<'_, E>,
    ) -> Result<BitSet, E> {
        let evaluator = Evaluator {
            columns: self,
            first,
            alive,
            callbacks,
        };
        let mut matching = evaluator.documents(filter)?;
        matching.intersect_with(alive);
        Ok(matching)
    }
}

/// Values of a list that are looked up before `go_on` is asked again.
const VALUES_PER_STEP: usize = 16_384;

/// Its sets count documents from `first`.
struct Evaluator<'a, E> {
    columns: &'a Columns,
    first: u32,
    alive: &'a BitSet,
    callbacks: &'a Callbacks<'a, E>,
}

impl<E: From<ColumnError>> Evaluator<'_, E> {
    /// The documents for which `filter` is true; may hold some that are not alive.
    fn documents(&self, filter: &Filter) -> Result<BitSet, E> {
        (self.callbacks.go_on)()?;
        match filter {
            Filter::And(filters) => {
                let mut common = self.alive.clone();
                for filter in filters {
                    match filter {
                        Filter::Not(negated) => common.subtract(&self.documents(negated)?),
                        filter => common.intersect_with(&self.documents(filter)?),
                    }
                }
                Ok(common)
            }
            Filter::Or(filters) => {
                let mut union = BitSet::default();
                for filter in filters {
                    union.union_with(&self.documents(filter)?);
                }
                Ok(union)
            }
            Filter::Not(negated) => {
                let mut rest = self.alive.clone();
                rest.subtract(&self.documents(negated)?);
                Ok(rest)
            }
            Filter::Within { field, area } => {
                let (rules, store) = (&self.columns.rules, &self.columns.store);
                let mut marks = Marks::new(self.first, self.alive.words().len());
                if let Some(column) = rules.point_column(store, field)? {
                    column.mark_within(area, &mut marks, self.callbacks.go_on)?;
                }
                Ok(marks.into_set())
            }
            Filter::Contains { field, value } => {
                let all = (self.callbacks.contains)(field, value)?;
                let words = all.words().get(self.first as usize / 64..);
                Ok(match self.first {
                    0 => all,
                    _ => BitSet::from_words(words.unwrap_or_default().to_vec()),
                })
            }
            Filter::Equals { field, value } => self
                .marked(|rules, marks| rules.mark_equal(&self.columns.store, field, value, marks)),
            Filter::Prefix { field, prefix } => self.marked(|rules, marks| {
                rules.mark_prefix(&self.columns.store, field, prefix, marks)
            }),
            Filter::Range {
                field,
                lower,
                upper,
            } => self.in_range(field, Limits::Within([*lower, *upper])),
            Filter::Beyond { field, limit, end } => {
                self.in_range(field, Limits::Beyond(*limit, *end))
            }
            Filter::Exists { field } => {
                self.marked(|rules, marks| rules.mark_all(&self.columns.store, field, marks))
            }
            Filter::In { field, values } => {
                let mut union = BitSet::default();
                for values in values.chunks(VALUES_PER_STEP) {
                    (self.callbacks.go_on)()?;
                    let marked = self.marked(|rules, marks| {
                        rules.mark_list(&self.columns.store, field, values, marks)
                    })?;
                    union.union_with(&marked);
                }
                Ok(union)
            }
        }
    }

    fn in_range(&self, field: &str, limits: Limits) -> Result<BitSet, E> {
        self.marked(|rules, marks| rules.mark_range(&self.columns.store, field, limits, marks))
    }

    /// The documents that `mark` marks, in as many words as `alive` has.
    fn marked(
        &self,
        mark: impl FnOnce(&Rules, &mut Marks) -> Result<(), ColumnError>,
    ) -> Result<BitSet, E> {
        let mut marks = Marks::new(self.first, self.alive.words().len());
        mark(&self.columns.rules, &mut marks)?;
        Ok(marks.into_set())
    }
}
