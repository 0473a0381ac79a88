use pelorus_filter::Filter;
use pelorus_kernels::BitSet;

use crate::ColumnError;
use crate::columns::Columns;
use crate::marks::Marks;
use crate::rules::Rules;

/// Answers `field CONTAINS value`, for which the columns have no text, with all its documents. Says
/// itself when the index has no such field or keyword.
pub(crate) type Contains<'a, E> = &'a dyn Fn(&str, &str) -> Result<BitSet, E>;

impl Columns {
    /// The documents of `alive` for which `filter` is true.
    ///
    /// Every term is evaluated, even where others already decide: a term without meaning for this
    /// index is an error wherever it stands. `contains(field, value)` answers `CONTAINS`, for which
    /// the columns have no text; it says itself when the index has no such field or keyword.
    ///
    /// # Errors
    /// A [`ColumnError`] of the first term that the index cannot be asked, or of `contains`.
    pub fn evaluate<E: From<ColumnError>>(
        &self,
        filter: &Filter,
        alive: &BitSet,
        contains: Contains<'_, E>,
    ) -> Result<BitSet, E> {
        self.evaluate_from(0, filter, alive, contains)
    }

    /// [`Columns::evaluate`] of the documents from `first` on, the first ordinal of a block. Member
    /// `i` of `alive` and of the answer stands for the ordinal `first + i`.
    pub(crate) fn evaluate_from<E: From<ColumnError>>(
        &self,
        first: u32,
        filter: &Filter,
        alive: &BitSet,
        contains: Contains<'_, E>,
    ) -> Result<BitSet, E> {
        let evaluator = Evaluator {
            columns: self,
            first,
            alive,
            contains,
        };
        let mut matching = evaluator.documents(filter)?;
        matching.intersect_with(alive);
        Ok(matching)
    }
}

/// Its sets count documents from `first`.
struct Evaluator<'a, E> {
    columns: &'a Columns,
    first: u32,
    alive: &'a BitSet,
    contains: Contains<'a, E>,
}

impl<E: From<ColumnError>> Evaluator<'_, E> {
    /// The documents for which `filter` is true; may hold some that are not alive.
    fn documents(&self, filter: &Filter) -> Result<BitSet, E> {
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
            Filter::Contains { field, value } => {
                let all = (self.contains)(field, value)?;
                let words = all.words().get(self.first as usize / 64..);
                Ok(match self.first {
                    0 => all,
                    _ => BitSet::from_words(words.unwrap_or_default().to_vec()),
                })
            }
            Filter::Equals { field, value } => self
                .marked(|rules, marks| rules.mark_equal(&self.columns.store, field, value, marks)),
            Filter::Range {
                field,
                lower,
                upper,
            } => self.marked(|rules, marks| {
                rules.mark_range(&self.columns.store, field, [*lower, *upper], marks)
            }),
            Filter::In { field, values } => self
                .marked(|rules, marks| rules.mark_list(&self.columns.store, field, values, marks)),
        }
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
