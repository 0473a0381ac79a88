//! Phrases: tokens that stand one behind the other, or a little apart.
//!
//! With a slop a phrase matches as Lucene's sloppy phrase does (`SloppyPhraseMatcher`). Each place of the phrase is given
//! an occurrence of its token, and places that name one token get different ones. An occurrence at position p for the
//! place i is displaced by p - i; the *distance* of such a choice is the greatest displacement less the smallest, so it is
//! 0 where the tokens stand side by side, and two that change places are 2 apart. The phrase occurs in each *window* of
//! displacements that holds a choice while no smaller window within does, and is no wider than the slop. It counts there as
//! 1 / (1 + distance), Lucene's weight. Lucene also counts some windows that hold smaller ones, and does not try every
//! choice for a repeated token.

use std::collections::HashMap;

use pelorus_cancellation::{Cancellation, Cancelled};

/// Parts of an occurrence that frequencies of sloppy phrases count: a power of two, so that those of phrases whose tokens
/// stand side by side are weighed as whole ones are, bit by bit.
pub(crate) const FREQUENCY_PARTS: u32 = 1 << 20;
/// The most parts: 2,047 occurrences and a part. Signed numbers are converted faster.
const FREQUENCY_MAX: u32 = i32::MAX as u32;

/// Places of a phrase between two looks at whether the search is cancelled.
const PLACES_PER_CHECK: usize = 1 << 16;

/// Tokens of a phrase. Each is looked up once, however often the phrase repeats it.
pub(crate) struct Phrase<'t> {
    distinct: Vec<&'t str>,
    /// For each place of the phrase, which of the distinct tokens stands there.
    places: Vec<usize>,
    /// For each place the one before it with the same token.
    same_before: Vec<Option<usize>>,
    /// The greatest distance.
    slop: u32,
}

impl<'t> Phrase<'t> {
    /// Tokens that are at most `slop` away from side by side.
    pub(crate) fn new(tokens: &'t [String], slop: u32) -> Phrase<'t> {
        let mut distinct = Vec::new();
        let mut known = HashMap::new();
        let place = |token: &'t String| {
            *known.entry(token.as_str()).or_insert_with(|| {
                distinct.push(token.as_str());
                distinct.len() - 1
            })
        };
        let places: Vec<usize> = tokens.iter().map(place).collect();
        let mut last = vec![None; distinct.len()];
        let before = places.iter().enumerate();
        let before = before.map(|(place, &token)| last[token].replace(place));
        Phrase {
            same_before: before.collect(),
            distinct,
            places,
            slop,
        }
    }

    /// Tells whether the tokens stand side by side.
    pub(crate) fn is_exact(&self) -> bool {
        self.slop == 0
    }

    /// The tokens by their first place.
    pub(crate) fn distinct(&self) -> &[&'t str] {
        &self.distinct
    }

    /// Counts the occurrences of the phrase in one field of one document. `positions` are the
    /// ascending positions of each distinct token there. Occurrences may overlap. Those of a sloppy phrase are counted
    /// in parts, of which a whole one has [`FREQUENCY_PARTS`].
    pub(crate) fn count(
        &self,
        positions: &[impl AsRef<[u32]>],
        cancellation: &Cancellation,
    ) -> Result<u32, Cancelled> {
        let mut count = 0_u32;
        match self.is_exact() {
            true => self.for_each_start(positions, cancellation, |_| count += 1)?,
            false => self.for_each_window(positions, cancellation, |_, distance| {
                let divisor = u64::from(distance) + 1;
                let parts = (u64::from(FREQUENCY_PARTS) + divisor / 2) / divisor;
                count = count.saturating_add(parts.max(1) as u32);
            })?,
        }
        Ok(count.min(FREQUENCY_MAX))
    }

    /// Calls `found` with the positions of the tokens of each window, by place, and their distance.
    ///
    /// From the least displacement that is allowed on, each place takes the first occurrence that no place before it has
    /// taken: no other choice ends earlier, since where two places of one token have their occurrences in another order,
    /// both are displaced less when they change these. The next window begins behind the smallest displacement of the
    /// choice, or where it can be narrow enough; one that ends where the one before does lies within that.
    pub(crate) fn for_each_window(
        &self,
        positions: &[impl AsRef<[u32]>],
        cancellation: &Cancellation,
        mut found: impl FnMut(&[u32], u32),
    ) -> Result<(), Cancelled> {
        let mut steps = Steps::new(cancellation);
        let list = |place: usize| positions[self.places[place]].as_ref();
        let count = self.places.len();
        let slop = u64::from(self.slop);
        // The index of the occurrence of each place. Displacements are counted from that of position 0 at the last place.
        let mut at = vec![0; count];
        let mut chosen = vec![0; count];
        let mut before = vec![0; count];
        let mut distance_before = None;
        let (mut start, mut end_before) = (0_u64, 0);
        'windows: loop {
            steps.take(count)?;
            let (mut first, mut end) = (u64::MAX, 0);
            for place in 0..count {
                let displaced = |position: u32| u64::from(position) + (count - 1 - place) as u64;
                let list = list(place);
                let after = self.same_before[place].map_or(0, |same| at[same] + 1);
                let mut next = after.max(at[place]);
                while next < list.len() && displaced(list[next]) < start {
                    next += 1;
                }
                let Some(&position) = list.get(next) else {
                    break 'windows;
                };
                at[place] = next;
                chosen[place] = position;
                first = first.min(displaced(position));
                end = end.max(displaced(position));
            }
            if let Some(distance) = distance_before.take_if(|_| end > end_before) {
                found(&before, distance);
            }
            if end - first > slop {
                start = end - slop;
                continue;
            }
            distance_before = Some((end - first) as u32);
            end_before = end;
            std::mem::swap(&mut before, &mut chosen);
            start = first + 1;
        }
        if let Some(distance) = distance_before {
            found(&before, distance);
        }
        Ok(())
    }

    /// Calls `found` with the position of the first token of each occurrence side by side, ascending.
    pub(crate) fn for_each_start(
        &self,
        positions: &[impl AsRef<[u32]>],
        cancellation: &Cancellation,
        mut found: impl FnMut(u32),
    ) -> Result<(), Cancelled> {
        let mut steps = Steps::new(cancellation);
        let list = |place: usize| positions[self.places[place]].as_ref();
        let (Some(last_place), Some(&first)) = (
            self.places.len().checked_sub(1),
            positions.first().and_then(|list| list.as_ref().first()),
        ) else {
            return Ok(());
        };
        let long_enough = |&last: &u32| (last - first.min(last)) as usize >= last_place;
        if !list(last_place).last().is_some_and(long_enough) {
            return Ok(());
        }
        let mut at = vec![0; self.places.len()];
        'starts: for &start in list(0) {
            steps.take(self.places.len())?;
            for (place, at) in at.iter_mut().enumerate().skip(1) {
                let list = list(place);
                let wanted = start + place as u32;
                while *at < list.len() && list[*at] < wanted {
                    *at += 1;
                }
                match list.get(*at) {
                    Some(&position) if position == wanted => {}
                    Some(_) => continue 'starts,
                    None => break 'starts,
                }
            }
            found(start);
        }
        Ok(())
    }
}

/// Places that were looked at since a search was last asked whether it is cancelled: a long phrase in one long text is
/// work for seconds.
struct Steps<'c> {
    cancellation: &'c Cancellation,
    taken: usize,
}

impl<'c> Steps<'c> {
    fn new(cancellation: &'c Cancellation) -> Self {
        Self {
            cancellation,
            taken: 0,
        }
    }

    fn take(&mut self, places: usize) -> Result<(), Cancelled> {
        self.taken += places;
        if self.taken < PLACES_PER_CHECK {
            return Ok(());
        }
        self.taken = 0;
        self.cancellation.check()
    }
}

#[cfg(test)]
mod tests {
    use pelorus_random::SplitMix64;

    use super::*;

    fn count(phrase: &str, positions: &[Vec<u32>]) -> u32 {
        let tokens: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
        let count = Phrase::new(&tokens, 0).count(positions, &Cancellation::never());
        count.unwrap()
    }

    #[test]
    fn only_consecutive_positions_count() {
        let positions = [vec![0, 4, 9], vec![1, 6, 10], vec![2, 11]];
        assert_eq!(count("a b c", &positions), 2);
        assert_eq!(count("a b", &[vec![1], vec![0]]), 0);
        assert_eq!(count("a b", &[vec![3], vec![]]), 0);
    }

    #[test]
    fn occurrences_of_a_repeated_word_overlap() {
        assert_eq!(count("a a", &[vec![0, 1, 2]]), 2);
        assert_eq!(count("a b a", &[vec![0, 2, 4], vec![1, 3]]), 2);
        assert_eq!(count("a a a a", &[vec![0, 1, 2]]), 0);
    }

    #[test]
    fn a_token_is_looked_up_once() {
        let tokens = ["a", "b", "a", "c", "b"].map(str::to_owned);
        assert_eq!(Phrase::new(&tokens, 0).distinct(), ["a", "b", "c"]);
    }

    /// The windows of a phrase of single letters in a text of such, by the definition: every choice is tried.
    fn windows_by_choices(phrase: &[u8], text: &[u8], slop: u32) -> Vec<(i64, i64)> {
        fn choose(
            phrase: &[u8],
            text: &[u8],
            chosen: &mut Vec<usize>,
            windows: &mut Vec<(i64, i64)>,
        ) {
            let Some(&token) = phrase.get(chosen.len()) else {
                let displaced = chosen.iter().zip(0..).map(|(&p, i): (_, i64)| p as i64 - i);
                let (first, end) = (displaced.clone().min(), displaced.max());
                windows.extend(first.zip(end));
                return;
            };
            for (position, _) in text.iter().enumerate().filter(|(_, one)| **one == token) {
                if !chosen.contains(&position) {
                    chosen.push(position);
                    choose(phrase, text, chosen, windows);
                    chosen.pop();
                }
            }
        }
        let mut windows = Vec::new();
        choose(phrase, text, &mut Vec::new(), &mut windows);
        windows.sort_unstable();
        windows.dedup();
        let all = windows.clone();
        windows.retain(|&(first, end)| {
            let is_within = |&(a, b): &(i64, i64)| (a, b) != (first, end) && a >= first && b <= end;
            end - first <= i64::from(slop) && !all.iter().any(is_within)
        });
        windows
    }

    #[test]
    fn windows_are_those_of_every_choice() {
        let mut random = SplitMix64(29);
        let (mut some, mut repeated) = (0, 0);
        for _ in 0..20_000 {
            let letters = 1 + random.below(4);
            let mut word = |length: usize| -> Vec<u8> {
                (0..length)
                    .map(|_| b'a' + random.below(letters) as u8)
                    .collect()
            };
            let (phrase, text) = (word(4), word(9));
            let phrase = &phrase[..1 + random.below(4)];
            let text = &text[..random.below(10)];
            let slop = random.below(7) as u32;
            let tokens: Vec<String> = phrase.iter().map(|&c| char::from(c).to_string()).collect();
            let sloppy = Phrase::new(&tokens, slop);
            let positions: Vec<Vec<u32>> = sloppy
                .distinct()
                .iter()
                .map(|token| {
                    let is_here = |(_, one): &(u32, &u8)| **one == token.as_bytes()[0];
                    (0..)
                        .zip(text)
                        .filter(is_here)
                        .map(|(position, _)| position)
                        .collect()
                })
                .collect();
            let mut windows = Vec::new();
            let windowed =
                sloppy.for_each_window(&positions, &Cancellation::never(), |chosen, distance| {
                    let displaced = chosen
                        .iter()
                        .zip(0..)
                        .map(|(&p, i): (_, i64)| i64::from(p) - i);
                    let (first, end) = (displaced.clone().min().unwrap(), displaced.max().unwrap());
                    assert_eq!(end - first, i64::from(distance));
                    windows.push((first, end));
                });
            windowed.unwrap();
            let counted = sloppy.count(&positions, &Cancellation::never()).unwrap();
            let expected = windows_by_choices(phrase, text, slop);
            assert_eq!(windows, expected, "{phrase:?} in {text:?} with {slop}");
            let parts = |&(first, end): &(i64, i64)| {
                (f64::from(FREQUENCY_PARTS) / (end - first + 1) as f64).round() as u32
            };
            if slop > 0 {
                assert_eq!(counted, expected.iter().map(parts).sum::<u32>());
            } else {
                assert_eq!(counted as usize, expected.len());
            }
            some += usize::from(!expected.is_empty());
            repeated += usize::from(sloppy.distinct().len() < phrase.len() && !expected.is_empty());
        }
        assert!(some > 4_000 && repeated > 1_000, "{some} {repeated}");
    }

    #[test]
    fn more_occurrences_than_a_frequency_holds_are_as_many_as_it_does() {
        let tokens = ["a", "b"].map(str::to_owned);
        let positions = [
            (0..4_000).step_by(2).collect(),
            (1..4_000).step_by(2).collect::<Vec<_>>(),
        ];
        let count = |positions: &[Vec<u32>]| {
            let count = Phrase::new(&tokens, 1).count(positions, &Cancellation::never());
            count.unwrap()
        };
        assert_eq!(count(&positions), 2_000 * FREQUENCY_PARTS);
        let positions = [
            (0..9_000).step_by(2).collect(),
            (1..9_000).step_by(2).collect::<Vec<_>>(),
        ];
        assert_eq!(count(&positions), FREQUENCY_MAX);
    }

    #[test]
    fn a_long_phrase_in_a_long_text_can_be_cancelled() {
        let tokens = vec!["a".to_owned(); 1_000];
        let positions = [(0..49_000).collect::<Vec<u32>>()];
        for slop in [0, 5] {
            let phrase = Phrase::new(&tokens, slop);
            let count = |checks| phrase.count(&positions, &Cancellation::after_checks(checks));
            assert_eq!(count(10), Err(Cancelled::ByCaller), "{slop}");
            assert!(count(10_000).is_ok(), "{slop}");
        }
    }
}
