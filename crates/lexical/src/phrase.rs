/// Number of places where the tokens of a phrase stand one behind the other. `positions[i]` are
/// the ascending positions of the i-th token in one field of one document. Occurrences may
/// overlap.
pub(crate) fn count_phrase(positions: &[impl AsRef<[u32]>]) -> u32 {
    let Some((first, others)) = positions.split_first() else {
        return 0;
    };
    let mut at = vec![0; others.len()];
    let mut count = 0;
    'starts: for &start in first.as_ref() {
        for (i, list) in others.iter().enumerate() {
            let list = list.as_ref();
            let wanted = start + i as u32 + 1;
            while at[i] < list.len() && list[at[i]] < wanted {
                at[i] += 1;
            }
            match list.get(at[i]) {
                Some(&position) if position == wanted => {}
                Some(_) => continue 'starts,
                None => break 'starts,
            }
        }
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_consecutive_positions_count() {
        assert_eq!(
            count_phrase(&[vec![0, 4, 9], vec![1, 6, 10], vec![2, 11]]),
            2
        );
        assert_eq!(count_phrase(&[vec![1], vec![0]]), 0);
    }

    #[test]
    fn occurrences_of_a_repeated_word_overlap() {
        assert_eq!(count_phrase(&[vec![0, 1, 2], vec![0, 1, 2]]), 2);
    }
}
