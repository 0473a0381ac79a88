/// The hits `offset .. offset + limit` of a ranking, as far as it reaches.
///
/// Paging is cut after fusion and never before it: ranks then count from the first hit of the
/// whole ranking, so that no document is on two pages or on none.
pub fn page<T>(hits: &[T], offset: usize, limit: usize) -> &[T] {
    let start = offset.min(hits.len());
    let end = offset.saturating_add(limit).min(hits.len());
    &hits[start..end]
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn pages_tile_the_ranking() {
        let hits: Vec<u32> = (0..10).collect();
        assert_eq!(
            [page(&hits, 0, 4), page(&hits, 4, 4), page(&hits, 8, 4)].concat(),
            hits
        );
    }

    #[test]
    fn a_page_past_the_end_is_empty() {
        assert!(page(&[1, 2], 2, 5).is_empty());
        assert!(page(&[1, 2], usize::MAX, usize::MAX).is_empty());
    }
}
