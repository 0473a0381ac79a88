//! The tiles of attention: parts of texts whose queries one block computes.

use crate::launch::ATTENTION_TILE;

/// Queries of one text, and the keys that they attend to, as tokens of the whole batch: `[first query, queries, first key,
/// keys]`. The kernels read it as four 32-bit numbers.
pub type AttentionTile = [u32; 4];

/// The tiles of texts that lie one after the other, `bounds [texts + 1]` being the first token of each and the number of
/// all; the longest texts first, so that no block of many keys begins last.
pub fn attention_tiles(bounds: &[u32]) -> Vec<AttentionTile> {
    let mut tiles = Vec::new();
    for pair in bounds.windows(2) {
        let (start, end) = (pair[0], pair[1].max(pair[0]));
        for query in (start..end).step_by(ATTENTION_TILE as usize) {
            let queries = (end - query).min(ATTENTION_TILE);
            tiles.push([query, queries, start, end - start]);
        }
    }
    tiles.sort_by_key(|&[.., keys]| std::cmp::Reverse(keys));
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_token_once_and_name_its_own_text() {
        let bounds = [0, 1, 1, 65, 193, 194, 706];
        let tiles = attention_tiles(&bounds);
        let mut covered = vec![0; 706];
        for [query, queries, key, keys] in &tiles {
            assert!(bounds.windows(2).any(|pair| pair == [*key, key + keys]));
            assert!(query >= key && query + queries <= key + keys);
            for token in *query..query + queries {
                covered[token as usize] += 1;
            }
        }
        assert!(covered.iter().all(|&times| times == 1));
        assert!(tiles.is_sorted_by_key(|&[.., keys]| std::cmp::Reverse(keys)));
    }

    #[test]
    fn no_texts_have_no_tiles() {
        assert!(attention_tiles(&[]).is_empty());
        assert!(attention_tiles(&[0]).is_empty());
        assert!(attention_tiles(&[0, 0, 0]).is_empty());
    }
}
