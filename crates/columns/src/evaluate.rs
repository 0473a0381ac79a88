use pelorus_filter::Filter;
use pelorus_kernels::BitSet;

use crate::ColumnError;
use crate::columns::Columns;
use crate::rules::Rules;

impl Columns {
    /// The documents of `alive` for which `filter` is true.
    ///
    /// Every term is evaluated, even where others already decide: a term without meaning for this
    /// index is an error wherever it stands. `contains(field, value)` answers `CONTAINS`, for which
    /// the columns have no text; it says itself when the index has no such field or keyword.
    ///
    /// # Errors
    /// A [`ColumnError`] of the first term that the index cannot be asked, or of `contains`.
    pub fn evaluate(
        &self,
        filter: &Filter,
        alive: &BitSet,
        contains: &dyn Fn(&str, &str) -> Result<BitSet, ColumnError>,
    ) -> Result<BitSet, ColumnError> {
        let mut matching = Evaluator {
            columns: self,
            alive,
            contains,
        }
        .documents(filter)?;
        matching.intersect_with(alive);
        Ok(matching)
    }
}

struct Evaluator<'a> {
    columns: &'a Columns,
    alive: &'a BitSet,
    contains: &'a dyn Fn(&str, &str) -> Result<BitSet, ColumnError>,
}

impl Evaluator<'_> {
    /// The documents for which `filter` is true; may hold some that are not alive.
    fn documents(&self, filter: &Filter) -> Result<BitSet, ColumnError> {
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
            Filter::Contains { field, value } => (self.contains)(field, value),
            Filter::Equals { field, value } => {
                self.marked(|rules, words| rules.mark_equal(self.columns, field, value, words))
            }
            Filter::Range {
                field,
                lower,
                upper,
            } => self.marked(|rules, words| {
                rules.mark_range(self.columns, field, [*lower, *upper], words)
            }),
            Filter::In { field, values } => {
                self.marked(|rules, words| rules.mark_list(self.columns, field, values, words))
            }
        }
    }

    /// The set whose bits `mark` sets, in as many words as `alive` has.
    fn marked(
        &self,
        mark: impl FnOnce(&Rules, &mut [u64]) -> Result<(), ColumnError>,
    ) -> Result<BitSet, ColumnError> {
        let mut words = vec![0; self.alive.words().len()];
        mark(&self.columns.rules, &mut words)?;
        Ok(BitSet::from_words(words))
    }
}
