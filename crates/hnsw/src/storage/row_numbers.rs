//! Numbers of rows that last: a row keeps the number of its arrival when the living are copied to
//! another file, so that what refers to it need not be written again.

use std::ops::Range;

/// The numbers of the rows of a file, which ascend with their places in it.
///
/// Rows from [`listed`](Self::listed) on are numbered one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RowNumbers {
    /// Runs of rows whose numbers follow each other. Adjacent ones do not touch.
    runs: Vec<Run>,
    listed: usize,
    /// The number of the first row that is not listed: above those that are.
    next: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    place: usize,
    number: u64,
    len: usize,
}

impl RowNumbers {
    /// The numbers of rows that are given in the order of their places, with that of the row after
    /// them.
    ///
    /// # Panics
    /// If the numbers do not ascend.
    pub fn listing(numbers: impl IntoIterator<Item = u64>, next: u64) -> Self {
        let mut listing = Self::default();
        for number in numbers {
            assert!(number >= listing.next, "row {number} is out of order");
            match listing.runs.last_mut() {
                Some(run) if run.number + run.len as u64 == number => run.len += 1,
                _ => listing.runs.push(Run {
                    place: listing.listed,
                    number,
                    len: 1,
                }),
            }
            listing.listed += 1;
            listing.next = number + 1;
        }
        assert!(next >= listing.next, "row {next} is out of order");
        listing.next = next;
        listing
    }

    /// The number of the row at a place, be it written or not.
    pub fn number(&self, place: usize) -> u64 {
        if place >= self.listed {
            return self.next + (place - self.listed) as u64;
        }
        let run = self.runs[self.runs.partition_point(|run| run.place <= place) - 1];
        run.number + (place - run.place) as u64
    }

    /// The places of so many rows from a number on; none where one of them is gone or there is another
    /// between them, and where no file has so many.
    pub fn places(&self, first: u64, count: usize) -> Option<Range<usize>> {
        let start = self.place(first)?;
        let last = self.place(first.checked_add(count.checked_sub(1)? as u64)?)?;
        (last - start == count - 1).then_some(start..last + 1)
    }

    fn place(&self, number: u64) -> Option<usize> {
        if number >= self.next {
            let beyond = usize::try_from(number - self.next).ok()?;
            return self.listed.checked_add(beyond);
        }
        let after = self.runs.partition_point(|run| run.number <= number);
        let run = self.runs[after.checked_sub(1)?];
        let offset = (number - run.number) as usize;
        (offset < run.len).then_some(run.place + offset)
    }

    /// As text: the number of the row that is not listed, then for each run how many numbers are left out
    /// before it and how many it has.
    pub fn to_text(&self) -> String {
        let mut text = self.next.to_string();
        let mut end = 0;
        for Run { number, len, .. } in &self.runs {
            text += &format!(" {},{len}", number - end);
            end = number + *len as u64;
        }
        text
    }

    /// Reads what [`to_text`](Self::to_text) wrote; none where that cannot be.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let next = words.next()?.parse().ok()?;
        let mut numbers = Self::default();
        let mut end = 0_u64;
        for run in words {
            let (gap, len) = run.split_once(',')?;
            let (gap, len): (u64, u64) = (gap.parse().ok()?, len.parse().ok()?);
            let number = end.checked_add(gap)?;
            end = number.checked_add(len)?;
            numbers.runs.push(Run {
                place: numbers.listed,
                number,
                len: usize::try_from(len).ok()?,
            });
            numbers.listed = numbers.listed.checked_add(usize::try_from(len).ok()?)?;
        }
        numbers.next = next;
        (next >= end).then_some(numbers)
    }

    pub fn memory_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A file that is copied again and again, some rows left out each time, against a plain list.
        #[test]
        fn a_row_keeps_its_number_however_often_it_is_copied(
            copies in prop::collection::vec(
                (0usize..40, prop::collection::vec(any::<bool>(), 200), 0usize..9), 0..6),
            count in 1usize..5,
        ) {
            let mut numbers = RowNumbers::default();
            let mut model: Vec<u64> = Vec::new();
            let mut next = 0;
            for (pushed, kept, skipped) in copies {
                model.extend(next..next + pushed as u64);
                next += (pushed + skipped) as u64;
                model = model.into_iter().zip(kept.iter().cycle()).filter_map(|(n, kept)| kept.then_some(n)).collect();
                numbers = RowNumbers::listing(model.iter().copied(), next);
                prop_assert_eq!(RowNumbers::from_text(&numbers.to_text()), Some(numbers.clone()));
            }
            for (place, &number) in model.iter().enumerate() {
                prop_assert_eq!(numbers.number(place), number);
            }
            prop_assert_eq!(numbers.number(model.len() + 3), next + 3);
            for first in 0..next + 5 {
                let mut places = (first..first + count as u64).map(|number| match number < next {
                    true => model.binary_search(&number).ok(),
                    false => Some(model.len() + (number - next) as usize),
                });
                let start = places.next().unwrap();
                let all = places.all(|place| place.is_some());
                let expected = start.filter(|_| all).map(|start| start..start + count);
                prop_assert_eq!(numbers.places(first, count), expected);
            }
        }
    }

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        for text in [
            "",
            "3 0,5",
            "9 18446744073709551615,2",
            "9 1",
            "9 1,x",
            "9  1,2",
        ] {
            assert_eq!(RowNumbers::from_text(text), None, "{text}");
        }
        assert_eq!(RowNumbers::default().places(u64::MAX, 2), None);
        assert_eq!(RowNumbers::default().places(3, 0), None);
    }
}
