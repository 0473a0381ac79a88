use std::cell::Cell;

use pelorus_cancellation::{Cancellation, Cancelled};
use tantivy_fst::{Automaton, Streamer};

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

/// Steps of an automaton between two looks at whether the search is cancelled: some tens of microseconds.
const STEPS_PER_CHECK: u32 = 4_096;

/// An automaton that matches nothing any more once the search is cancelled: a walk may go through many keys before it gives
/// the next that is accepted.
pub(super) struct Watched<'a, A> {
    automaton: &'a A,
    cancellation: &'a Cancellation,
    steps: Cell<u32>,
    cancelled: Cell<Option<Cancelled>>,
}

impl<'a, A: Automaton> Watched<'a, A> {
    pub(super) fn new(automaton: &'a A, cancellation: &'a Cancellation) -> Self {
        Watched {
            automaton,
            cancellation,
            steps: Cell::new(0),
            cancelled: Cell::new(None),
        }
    }

    /// Tells whether all that it accepts was given.
    ///
    /// # Errors
    /// When the search was cancelled meanwhile.
    pub(super) fn end(&self) -> Result<(), Cancelled> {
        self.cancelled.get().map_or(Ok(()), Err)
    }
}

impl<A: Automaton> Automaton for Watched<'_, A> {
    type State = A::State;

    fn start(&self) -> A::State {
        self.automaton.start()
    }

    fn is_match(&self, state: &A::State) -> bool {
        self.automaton.is_match(state)
    }

    fn can_match(&self, state: &A::State) -> bool {
        self.cancelled.get().is_none() && self.automaton.can_match(state)
    }

    fn accept(&self, state: &A::State, byte: u8) -> A::State {
        let steps = self.steps.get().wrapping_add(1);
        self.steps.set(steps);
        if steps.is_multiple_of(STEPS_PER_CHECK)
            && let Err(cancelled) = self.cancellation.check()
        {
            self.cancelled.set(Some(cancelled));
        }
        self.automaton.accept(state, byte)
    }
}

/// The keys of a list in memory that an automaton accepts: a key of which no beginning can match any more is passed over
/// with all that begin alike.
pub(super) struct ListSearch<'a, A: Automaton> {
    list: &'a WordList,
    next: usize,
    automaton: &'a A,
    /// The beginning of the key before that the states are those of.
    path: Vec<u8>,
    /// `path.len() + 1` states.
    states: Vec<A::State>,
}

impl<'a, A: Automaton> ListSearch<'a, A> {
    pub(super) fn new(list: &'a WordList, automaton: &'a A) -> Self {
        ListSearch {
            list,
            next: 0,
            automaton,
            path: Vec::new(),
            states: vec![automaton.start()],
        }
    }

    /// Reads a key; gives the number of bytes at which it is lost, or whether it is accepted.
    fn read(&mut self, key: &[u8]) -> Result<bool, usize> {
        let shared = key.iter().zip(&self.path).take_while(|(a, b)| a == b);
        let shared = shared.count();
        self.path.truncate(shared);
        self.states.truncate(shared + 1);
        for (at, &byte) in key.iter().enumerate().skip(shared) {
            let state = self.automaton.accept(&self.states[at], byte);
            if !self.automaton.can_match(&state) {
                return Err(at + 1);
            }
            self.path.push(byte);
            self.states.push(state);
        }
        Ok(self.automaton.is_match(&self.states[key.len()]))
    }
}

impl<'s, A: Automaton> Streamer<'s> for ListSearch<'_, A> {
    type Item = (&'s [u8], u64);

    fn next(&'s mut self) -> Option<Self::Item> {
        let list = self.list;
        while self.next < list.len() {
            let at = self.next;
            let key = list.key(at);
            self.next += 1;
            match self.read(key) {
                Ok(true) => return Some((key, list.documents(at).into())),
                Ok(false) => {}
                Err(lost) => {
                    // The first key that does not begin so: no byte of a key is the last there is.
                    let mut behind = key[..lost].to_vec();
                    if let Some(last) = behind.last_mut().filter(|last| **last < u8::MAX) {
                        *last += 1;
                        self.next = list.lower_bound(&behind).max(self.next);
                    }
                }
            }
        }
        None
    }
}
