use crate::text_column::TextId;

/// Texts that are held in place. Most lists have no more, and are read without going elsewhere for
/// each document.
const FEW: usize = 5;

/// The texts of one document's list.
#[derive(Debug)]
pub(crate) enum TextList {
    Few { count: u8, ids: [TextId; FEW] },
    Many(Box<[TextId]>),
}

impl TextList {
    pub(crate) fn new(texts: Vec<TextId>) -> Self {
        if texts.len() > FEW {
            return TextList::Many(texts.into());
        }
        let mut ids = [TextId::default(); FEW];
        ids[..texts.len()].copy_from_slice(&texts);
        TextList::Few {
            count: texts.len() as u8,
            ids,
        }
    }

    pub(crate) fn ids(&self) -> &[TextId] {
        match self {
            TextList::Few { count, ids } => &ids[..usize::from(*count)],
            TextList::Many(ids) => ids,
        }
    }

    /// Bytes held beyond the list itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            TextList::Few { .. } => 0,
            TextList::Many(ids) => size_of_val(&**ids),
        }
    }
}
