//! Words by their distance from a typed one: the number of edits, each of which puts in, leaves out or replaces a
//! character, or swaps two neighbours, no two of them in one place (optimal string alignment).
//!
//! A Levenshtein automaton (Schulz and Mihov, "Fast string correction with Levenshtein automata", 2002) walks the keys of
//! words, up to the byte that ends a word; what it cannot match any more is passed over with all that begins alike.

use std::sync::LazyLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use tantivy_fst::Automaton;

use super::ShareKind;

/// Most edits.
pub(super) const EDITS_MAX: u8 = 2;
/// The characters of a word from which on it is looked for as it is: an automaton has about 70 kilobytes for each.
pub(crate) const CORRECTED_CHARS_MAX: usize = 40;

/// More edits than any word may have.
const FAR: u8 = u8::MAX;

/// Accepts the keys of words that are near.
pub(super) struct NearWords {
    dfa: DFA,
    edits_max: u8,
    /// Tells whether it is enough that a beginning of a word is near.
    is_beginning: bool,
}

#[derive(Clone, Copy)]
pub(super) enum State {
    Word(WordState),
    /// Behind the word, which is near.
    Near,
    Lost,
}

#[derive(Clone, Copy)]
pub(super) struct WordState {
    dfa: u32,
    /// Bytes of the character at hand that are to come.
    rest: u8,
    /// The least edits of a beginning.
    beginning: u8,
}

impl NearWords {
    /// `edits_max` is 1 or 2.
    pub(super) fn new(word: &str, edits_max: u8, is_beginning: bool) -> NearWords {
        static BUILDERS: [LazyLock<LevenshteinAutomatonBuilder>; EDITS_MAX as usize] = [
            LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true)),
            LazyLock::new(|| LevenshteinAutomatonBuilder::new(2, true)),
        ];
        let builder = &BUILDERS[usize::from(edits_max) - 1];
        NearWords {
            dfa: builder.build_dfa(word),
            edits_max,
            is_beginning,
        }
    }

    /// The edits of a whole word, and of its nearest beginning; none where they are too many.
    pub(super) fn edits(&self, word: &[u8]) -> (Option<u8>, Option<u8>) {
        let mut state = self.first();
        for &byte in word {
            state = self.step(state, byte);
        }
        let near = |edits: u8| (edits <= self.edits_max).then_some(edits);
        (near(self.distance(state.dfa)), near(state.beginning))
    }

    /// The relation of another word to this one; none where it is far, or this one goes on in it.
    pub(super) fn kind(&self, word: &[u8]) -> Option<ShareKind> {
        let (whole, beginning) = self.edits(word);
        let beginning = beginning.filter(|_| self.is_beginning);
        match (whole, beginning) {
            (Some(0), _) | (_, Some(0)) => None,
            (Some(1), _) => Some(ShareKind::OneEdit),
            (_, Some(1)) => Some(ShareKind::OneEditBeginning),
            (Some(_), _) => Some(ShareKind::TwoEdits),
            (_, Some(_)) => Some(ShareKind::TwoEditsBeginning),
            (None, None) => None,
        }
    }

    fn first(&self) -> WordState {
        let dfa = self.dfa.initial_state();
        WordState {
            dfa,
            rest: 0,
            beginning: self.distance(dfa),
        }
    }

    fn step(&self, state: WordState, byte: u8) -> WordState {
        let rest = match (state.rest, byte) {
            (0, 0xF0..) => 3,
            (0, 0xE0..) => 2,
            (0, 0xC0..) => 1,
            (rest, _) => rest.saturating_sub(1),
        };
        let dfa = self.dfa.transition(state.dfa, byte);
        let here = if rest == 0 { self.distance(dfa) } else { FAR };
        WordState {
            dfa,
            rest,
            beginning: state.beginning.min(here),
        }
    }

    fn distance(&self, dfa: u32) -> u8 {
        match self.dfa.distance(dfa) {
            Distance::Exact(edits) => edits,
            Distance::AtLeast(_) => FAR,
        }
    }

    fn is_near(&self, state: WordState) -> bool {
        let edits = match self.is_beginning {
            true => state.beginning,
            false => self.distance(state.dfa),
        };
        edits <= self.edits_max
    }
}

impl Automaton for NearWords {
    type State = State;

    fn start(&self) -> State {
        State::Word(self.first())
    }

    fn is_match(&self, state: &State) -> bool {
        matches!(state, State::Near)
    }

    fn can_match(&self, state: &State) -> bool {
        match state {
            State::Word(word) => {
                word.dfa != SINK_STATE || self.is_beginning && word.beginning <= self.edits_max
            }
            State::Near => true,
            State::Lost => false,
        }
    }

    fn accept(&self, state: &State, byte: u8) -> State {
        match (*state, byte) {
            (State::Word(word), 0) if self.is_near(word) => State::Near,
            (State::Word(_), 0) => State::Lost,
            (State::Word(word), _) => State::Word(self.step(word, byte)),
            (state, _) => state,
        }
    }
}
