use super::Inverted;

/// Walks the terms of several [`Inverted`] in order, each with where it was found.
pub(crate) struct TermMerge<'a> {
    heads: Vec<Head<'a>>,
    found: Vec<(&'a Inverted, usize)>,
}

/// The next term of one source.
struct Head<'a> {
    source: &'a Inverted,
    term: usize,
    text: &'a str,
    /// Decides nearly always, without a look at the text.
    prefix: u64,
}

impl<'a> TermMerge<'a> {
    pub(crate) fn new(sources: impl IntoIterator<Item = &'a Inverted>) -> TermMerge<'a> {
        let head = |source| Head::at(source, 0);
        TermMerge {
            heads: sources.into_iter().filter_map(head).collect(),
            found: Vec::new(),
        }
    }

    /// The next term, and its number in each source that has it, in the order of the sources.
    pub(crate) fn next_term(&mut self) -> Option<(&'a str, &[(&'a Inverted, usize)])> {
        let first = self
            .heads
            .iter()
            .map(|head| (head.prefix, head.text))
            .min()?;
        self.found.clear();
        self.heads.retain_mut(|head| {
            if (head.prefix, head.text) != first {
                return true;
            }
            self.found.push((head.source, head.term));
            match Head::at(head.source, head.term + 1) {
                Some(next) => {
                    *head = next;
                    true
                }
                None => false,
            }
        });
        Some((first.1, &self.found))
    }
}

impl<'a> Head<'a> {
    fn at(source: &'a Inverted, term: usize) -> Option<Head<'a>> {
        (term < source.term_count()).then(|| {
            let text = source.term(term);
            Head {
                source,
                term,
                text,
                prefix: prefix(text),
            }
        })
    }
}

/// The first eight bytes as a number: where two differ, they are ordered as the texts are.
pub(super) fn prefix(text: &str) -> u64 {
    let text = text.as_bytes();
    let len = text.len().min(8);
    let mut bytes = [0; 8];
    bytes[..len].copy_from_slice(&text[..len]);
    u64::from_be_bytes(bytes)
}
