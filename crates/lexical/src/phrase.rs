use std::collections::HashMap;

/// Tokens that must stand one behind the other. Each is looked up once, however often the phrase
/// repeats it.
pub(crate) struct Phrase<'t> {
    distinct: Vec<&'t str>,
    /// For each place of the phrase, which of the distinct tokens stands there.
    places: Vec<usize>,
}

impl<'t> Phrase<'t> {
    pub(crate) fn new(tokens: &'t [String]) -> Phrase<'t> {
        let mut distinct = Vec::new();
        let mut known = HashMap::new();
        let place = |token: &'t String| {
            *known.entry(token.as_str()).or_insert_with(|| {
                distinct.push(token.as_str());
                distinct.len() - 1
            })
        };
        let places = tokens.iter().map(place).collect();
        Phrase { distinct, places }
    }

    /// The tokens by their first place.
    pub(crate) fn distinct(&self) -> &[&'t str] {
        &self.distinct
    }

    /// Counts the occurrences of the phrase in one field of one document. `positions` are the
    /// ascending positions of each distinct token there. Occurrences may overlap.
    pub(crate) fn count(&self, positions: &[impl AsRef<[u32]>]) -> u32 {
        let mut count = 0;
        self.for_each_start(positions, |_| count += 1);
        count
    }

    /// Calls `found` with the position of the first token of each occurrence, ascending.
    pub(crate) fn for_each_start(
        &self,
        positions: &[impl AsRef<[u32]>],
        mut found: impl FnMut(u32),
    ) {
        let list = |place: usize| positions[self.places[place]].as_ref();
        let (Some(last_place), Some(&first)) = (
            self.places.len().checked_sub(1),
            positions.first().and_then(|list| list.as_ref().first()),
        ) else {
            return;
        };
        let long_enough = |&last: &u32| (last - first.min(last)) as usize >= last_place;
        if !list(last_place).last().is_some_and(long_enough) {
            return;
        }
        let mut at = vec![0; self.places.len()];
        'starts: for &start in list(0) {
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(phrase: &str, positions: &[Vec<u32>]) -> u32 {
        let tokens: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
        Phrase::new(&tokens).count(positions)
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
        assert_eq!(Phrase::new(&tokens).distinct(), ["a", "b", "c"]);
    }
}
