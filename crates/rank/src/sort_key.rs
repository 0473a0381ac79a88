use std::cmp::Ordering;

/// One key that documents are sorted by, ahead of those behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// Puts greater values first.
    pub descending: bool,
    /// Puts documents without a value first, whatever the direction.
    pub missing_first: bool,
}

impl SortKey {
    /// Compares documents with these values by this key, values compared by `compare`.
    pub fn order<V>(
        self,
        a: Option<&V>,
        b: Option<&V>,
        compare: impl Fn(&V, &V) -> Ordering,
    ) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if self.descending => compare(b, a),
            (Some(a), Some(b)) => compare(a, b),
            (None, None) => Ordering::Equal,
            (None, Some(_)) if self.missing_first => Ordering::Less,
            (Some(_), None) if !self.missing_first => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SortKey;

    fn sorted(descending: bool, missing_first: bool) -> Vec<Option<i32>> {
        let key = SortKey {
            descending,
            missing_first,
        };
        let mut values = vec![Some(2), None, Some(3), Some(1)];
        values.sort_by(|a, b| key.order(a.as_ref(), b.as_ref(), i32::cmp));
        values
    }

    #[test]
    fn missing_values_stand_where_they_are_told_in_both_directions() {
        assert_eq!(sorted(true, false), [Some(3), Some(2), Some(1), None]);
        assert_eq!(sorted(false, false), [Some(1), Some(2), Some(3), None]);
        assert_eq!(sorted(true, true), [None, Some(3), Some(2), Some(1)]);
        assert_eq!(sorted(false, true), [None, Some(1), Some(2), Some(3)]);
    }
}
