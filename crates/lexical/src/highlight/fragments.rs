//! The parts of a text that are shown.

use std::cmp::Reverse;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Located, Mark};

/// The bounds of the shown part of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FragmentBounds {
    /// Characters of a fragment, at least 1. Only a longer word makes one longer.
    pub size: usize,
    /// Most fragments; 0 for each text in which a word stands, whole.
    pub count: usize,
}

/// A part of a text with words that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment<'t> {
    pub text: &'t str,
    /// The bytes of it that match: ascending, neither overlapping nor touching.
    pub marks: Vec<Range<usize>>,
    /// Distinct terms of the query, and words that match.
    terms: usize,
    words: usize,
}

impl Fragment<'_> {
    /// The least is the best.
    pub(super) fn rank(&self) -> Reverse<(usize, usize)> {
        Reverse((self.terms, self.words))
    }
}

/// A place where a text may be cut, in bytes and in characters.
#[derive(Clone, Copy)]
struct Border {
    byte: usize,
    char: usize,
}

/// Marks that are not shown yet, between two borders.
struct Rest {
    marks: Range<usize>,
    borders: Range<usize>,
}

/// Marks that fit into one fragment.
struct Window {
    terms: usize,
    marks: Range<usize>,
}

/// The best fragments of a text, best first.
pub(super) fn choose<'t>(
    text: &'t str,
    located: &Located,
    bounds: FragmentBounds,
) -> Vec<Fragment<'t>> {
    let marks = &*located.marks;
    if marks.is_empty() {
        return Vec::new();
    }
    if bounds.count == 0 {
        return vec![fragment(text, 0, marks, term_count(marks))];
    }
    let borders = borders(&text[..located.end], &located.tokens);
    let places = Places {
        marks: uncut(
            marks
                .iter()
                .map(|mark| {
                    let start = borders.partition_point(|border| border.byte <= mark.start) - 1;
                    start..borders.partition_point(|border| border.byte < mark.end)
                })
                .collect(),
        ),
        marked: marks,
        borders: &borders,
        size: bounds.size,
    };
    let mut rests = vec![places.with_window(Rest {
        marks: 0..marks.len(),
        borders: 0..borders.len() - 1,
    })];
    let mut chosen = Vec::new();
    while chosen.len() < bounds.count && !rests.is_empty() {
        let rank = |(_, window): &(Rest, Window)| {
            Reverse((
                window.terms,
                window.marks.len(),
                Reverse(window.marks.start),
            ))
        };
        let best = (0..rests.len()).min_by_key(|&at| rank(&rests[at]));
        let (rest, window) = rests.swap_remove(best.unwrap_or_default());
        let shown = places.shown(&rest, &window);
        let (start, end) = (borders[shown.start].byte, borders[shown.end].byte);
        let within = &marks[window.marks.clone()];
        chosen.push(fragment(&text[start..end], start, within, window.terms));
        for (marks, borders) in [
            (
                rest.marks.start..window.marks.start,
                rest.borders.start..shown.start,
            ),
            (
                window.marks.end..rest.marks.end,
                shown.end..rest.borders.end,
            ),
        ] {
            if !marks.is_empty() {
                rests.push(places.with_window(Rest { marks, borders }));
            }
        }
    }
    chosen
}

/// The places needed to cut a text.
struct Places<'a> {
    /// For each mark, the borders around it and those that it cannot be cut from.
    marks: Vec<Range<usize>>,
    marked: &'a [Mark],
    borders: &'a [Border],
    size: usize,
}

impl Places<'_> {
    fn with_window(&self, rest: Rest) -> (Rest, Window) {
        let window = self.best(rest.marks.clone());
        (rest, window)
    }

    /// The marks of most distinct terms, then the most, then the first, that fit into a fragment.
    fn best(&self, marks: Range<usize>) -> Window {
        let mut best = Window {
            terms: 0,
            marks: marks.start..marks.start,
        };
        let terms = self.marked[marks.clone()].iter().map(|mark| mark.term);
        let mut counts = vec![0_usize; terms.max().map_or(0, |most| most + 1)];
        let (mut terms, mut end) = (0, marks.start);
        for start in marks.clone() {
            let around = &self.marks[start];
            let first = self.borders[around.start].char;
            let last = (first + self.size).max(self.borders[around.end].char);
            while end < marks.end && self.borders[self.marks[end].end].char <= last {
                let count = &mut counts[self.marked[end].term];
                terms += usize::from(*count == 0);
                *count += 1;
                end += 1;
            }
            let is_cut = start > marks.start && self.marks[start - 1] == *around;
            if !is_cut && (terms, end - start) > (best.terms, best.marks.len()) {
                best = Window {
                    terms,
                    marks: start..end,
                };
            }
            let count = &mut counts[self.marked[start].term];
            *count -= 1;
            terms -= usize::from(*count == 0);
        }
        best
    }

    /// The borders of a fragment around the marks of a window: as much before them as behind, as far as
    /// there is text on both sides.
    fn shown(&self, rest: &Rest, window: &Window) -> Range<usize> {
        let around = &self.marks[window.marks.clone()];
        let start = around.first().map_or(rest.borders.start, |one| one.start);
        let ends = around.iter().map(|one| one.end);
        let end = ends.max().unwrap_or(start);
        let at = |border: usize| self.borders[border].char;
        let room = self.size.saturating_sub(at(end) - at(start));
        // Up to the marks of other windows, none of which is shown in part.
        let earlier = self.marks[rest.marks.start..window.marks.start].last();
        let later = self.marks[window.marks.end..rest.marks.end].first();
        let (before, behind) = (
            at(start) - at(earlier.map_or(rest.borders.start, |one| one.end)),
            at(later.map_or(rest.borders.end, |one| one.start)) - at(end),
        );
        let left = before.min((room / 2).max(room - behind.min(room)));
        let right = behind.min(room - left);
        let borders = self.borders;
        let first = borders.partition_point(|border| border.char < at(start) - left);
        let last = borders.partition_point(|border| border.char <= at(end) + right) - 1;
        first..last
    }
}

/// Ranges of borders, those that overlap joined: the text in one of them is shown as a whole.
fn uncut(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut first = 0;
    while first < ranges.len() {
        let Range { start, mut end } = ranges[first].clone();
        let mut next = first + 1;
        while next < ranges.len() && ranges[next].start < end {
            end = end.max(ranges[next].end);
            next += 1;
        }
        ranges[first..next].fill(start..end);
        first = next;
    }
    ranges
}

/// The places where a text may be cut: where words begin and end, and never inside a token.
fn borders(text: &str, tokens: &[Range<usize>]) -> Vec<Border> {
    let mut borders = Vec::new();
    let (mut char, mut token) = (0, 0);
    for (byte, piece) in text.split_word_bound_indices() {
        while tokens.get(token).is_some_and(|range| range.end <= byte) {
            token += 1;
        }
        if tokens.get(token).is_none_or(|range| range.start >= byte) {
            borders.push(Border { byte, char });
        }
        char += piece.chars().count();
    }
    let byte = text.len();
    borders.push(Border { byte, char });
    borders
}

/// `text` without blanks around it; it stands at byte `offset` of the text that the marks are of.
fn fragment<'t>(text: &'t str, offset: usize, marks: &[Mark], terms: usize) -> Fragment<'t> {
    let trimmed = text.trim_start();
    let offset = offset + text.len() - trimmed.len();
    let mut joined: Vec<Range<usize>> = Vec::new();
    for mark in marks {
        let (start, end) = (mark.start - offset, mark.end - offset);
        match joined.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => joined.push(start..end),
        }
    }
    Fragment {
        text: trimmed.trim_end(),
        marks: joined,
        terms,
        words: marks.len(),
    }
}

fn term_count(marks: &[Mark]) -> usize {
    let mut terms: Vec<usize> = marks.iter().map(|mark| mark.term).collect();
    terms.sort_unstable();
    terms.dedup();
    terms.len()
}
