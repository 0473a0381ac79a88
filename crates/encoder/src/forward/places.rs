//! The rows of tables that tokens take, for whoever looks them up elsewhere.

use super::pass::Token;
use super::{Table, TextEncoder, Texts};
use crate::model::Index;

/// Tables that a token is looked up in at most.
const TABLES: usize = 4;

impl TextEncoder {
    /// The row of each token in each of four tables, -1 where there is no such table, `[tokens, 4]`. Texts must have been
    /// checked.
    pub(crate) fn places(&self, texts: Texts<'_>) -> Vec<i32> {
        let mut places = Vec::with_capacity(texts.ids.len() * TABLES);
        let mut ids = texts.ids.iter();
        for &length in texts.lengths {
            let mut words = 0;
            for (place, &id) in ids.by_ref().take(length as usize).enumerate() {
                let token = Token {
                    id,
                    place,
                    words: &mut words,
                };
                let rows = token.rows(&self.lookups);
                let rows = rows.map(|row| i32::try_from(row).unwrap_or(-1));
                let count = self.lookups.len();
                places.extend((0..TABLES).map(|at| if at < count { rows[at] } else { -1 }));
            }
        }
        places
    }

    /// Ids that there are embeddings for.
    pub(crate) fn vocabulary(&self) -> usize {
        let rows = self.lookups.iter().filter_map(|table| match *table {
            Table::Rows {
                rows,
                index: Index::Id,
                ..
            } => Some(rows),
            _ => None,
        });
        rows.min().unwrap_or(0)
    }
}
