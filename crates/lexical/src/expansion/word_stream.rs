use tantivy_fst::Streamer;

use crate::word_list::WordList;

/// The keys of a list in memory from one to before another, as transducers give theirs.
pub(super) struct ListStream<'a> {
    list: &'a WordList,
    next: usize,
    end: usize,
}

impl<'a> ListStream<'a> {
    pub(super) fn new(list: &'a WordList, from: &[u8], to: &[u8]) -> ListStream<'a> {
        ListStream {
            list,
            next: list.lower_bound(from),
            end: list.lower_bound(to),
        }
    }
}

impl<'s> Streamer<'s> for ListStream<'_> {
    type Item = (&'s [u8], u64);

    fn next(&'s mut self) -> Option<Self::Item> {
        let at = self.next;
        (at < self.end).then(|| {
            self.next += 1;
            (self.list.key(at), self.list.documents(at).into())
        })
    }
}
