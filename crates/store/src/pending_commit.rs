use std::sync::Arc;

use redb::{ReadTransaction, WriteTransaction};

use crate::write_batch::{self, Applied, WriteBatch};
use crate::{Result, Store};

/// A batch that was applied and waits for its commit. Dropped, it changes nothing.
pub struct PendingCommit<'s> {
    store: &'s Store,
    /// Taken by the commit.
    transaction: Option<WriteTransaction>,
    /// The commit before this one.
    last_good: Arc<ReadTransaction>,
    /// Tells whether anything is other than before.
    has_effect: bool,
    /// Bytes of documents and tensors that come, less those that go.
    grown: i64,
}

impl<'s> PendingCommit<'s> {
    pub(crate) fn new(
        store: &'s Store,
        transaction: WriteTransaction,
        last_good: Arc<ReadTransaction>,
    ) -> Self {
        PendingCommit {
            store,
            transaction: Some(transaction),
            last_good,
            has_effect: false,
            grown: 0,
        }
    }

    pub(crate) fn apply(&mut self, batch: &WriteBatch) -> Result<()> {
        let Some(transaction) = &self.transaction else {
            return Ok(());
        };
        let applied = write_batch::apply(transaction, batch);
        // First, for it is the cause: the tree may have met pages that did not reach the disk.
        self.store.session().error().map_or(Ok(()), Err)?;
        let Applied { has_effect, grown } = applied?;
        self.has_effect = has_effect;
        self.grown = grown;
        Ok(())
    }

    /// By how many bytes documents and tensors take more once it is committed, or less.
    pub fn grown(&self) -> i64 {
        self.grown
    }

    /// Commits the batch. When this returns it is on stable storage and every
    /// [`ReadView`](crate::ReadView) made from now on shows it.
    ///
    /// # Errors
    /// [`StoreError::Io`](crate::StoreError::Io) when the disk refuses. It is not known then
    /// whether the batch is on the disk; it is there whole or not at all. The store goes on
    /// showing the commit before and takes no more writes; [`Store::reopen`] shows which it was.
    pub fn commit(mut self) -> Result<()> {
        let Some(transaction) = self.transaction.take() else {
            return Ok(());
        };
        let session = self.store.session();
        let committed = match self.has_effect {
            true => transaction.commit().map_err(Into::into),
            false => transaction.abort().map_err(Into::into),
        };
        match session.error() {
            Some(error) => {
                session.forget_changes();
                Err(error)
            }
            None => {
                self.store.show_latest(&self.last_good);
                committed.map_err(|error| session.explain(error))
            }
        }
    }
}

impl Drop for PendingCommit<'_> {
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction.take() {
            drop(transaction); // which undoes it
            self.store.show_latest(&self.last_good);
            if self.store.session().error().is_some() {
                self.store.session().forget_changes();
            }
        }
    }
}

impl std::fmt::Debug for PendingCommit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingCommit")
            .field("has_effect", &self.has_effect)
            .finish_non_exhaustive()
    }
}
