//! The columns of an index, with the revisions made in place.

use std::ops::Deref;

use parking_lot::{Mutex, RwLock};
use pelorus_columns::Columns;

use crate::read::revisions::Revisions;

/// Values of documents that are changed in place are those of the current view: who reads them for a
/// view takes that view under the same lock.
pub(crate) struct LiveColumns {
    values: RwLock<Columns>,
    /// Changed with the values, under their lock.
    pub revisions: Mutex<Revisions>,
}

impl LiveColumns {
    pub fn new(columns: Columns) -> Self {
        Self {
            values: RwLock::new(columns),
            revisions: Mutex::default(),
        }
    }
}

/// Locked as its values are.
impl Deref for LiveColumns {
    type Target = RwLock<Columns>;

    fn deref(&self) -> &RwLock<Columns> {
        &self.values
    }
}
