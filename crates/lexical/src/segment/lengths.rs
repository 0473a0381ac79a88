use crate::statistics::FieldLength;

/// Token counts of one field in one segment, by local document number.
pub(crate) enum Lengths {
    /// Zero where the document lacks the field.
    Dense(Vec<FieldLength>),
    /// For fields few documents have.
    Sparse {
        docs: Vec<u32>,
        lengths: Vec<FieldLength>,
    },
}

/// A field held by fewer than one document in this many is kept sparse: six bytes for each
/// document with the field against two for each document.
const SPARSE_BELOW_ONE_IN: usize = 8;

impl Lengths {
    /// From ascending documents and their lengths, in a segment of `doc_count` documents.
    pub(crate) fn new(docs: Vec<u32>, lengths: Vec<FieldLength>, doc_count: u32) -> Lengths {
        if docs.len() * SPARSE_BELOW_ONE_IN < doc_count as usize {
            return Lengths::Sparse { docs, lengths };
        }
        let mut dense = vec![0; doc_count as usize];
        for (doc, length) in docs.into_iter().zip(lengths) {
            dense[doc as usize] = length;
        }
        Lengths::Dense(dense)
    }

    /// The length at `doc`, 0 where it lacks the field.
    pub(crate) fn get(&self, doc: u32) -> FieldLength {
        match self {
            Lengths::Dense(dense) => dense[doc as usize],
            Lengths::Sparse { docs, lengths } => {
                docs.binary_search(&doc).map_or(0, |at| lengths[at])
            }
        }
    }

    /// The lengths at ascending `wanted`, all of which have the field.
    #[inline]
    pub(crate) fn gather(&self, wanted: &[u32], out: &mut [FieldLength]) {
        match self {
            Lengths::Dense(dense) => {
                for (length, &doc) in out.iter_mut().zip(wanted) {
                    *length = dense[doc as usize];
                }
            }
            Lengths::Sparse { docs, lengths } => {
                let Some(&first) = wanted.first() else { return };
                let mut at = docs.partition_point(|&doc| doc < first);
                for (length, &doc) in out.iter_mut().zip(wanted) {
                    while docs[at] < doc {
                        at += 1;
                    }
                    *length = lengths[at];
                }
            }
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Lengths::Dense(dense) => dense.capacity() * 2,
            Lengths::Sparse { docs, lengths } => docs.capacity() * 4 + lengths.capacity() * 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_fields_answer_alike() {
        let docs: Vec<u32> = vec![3, 9, 20, 21];
        let values: Vec<FieldLength> = vec![1, 2, 3, u16::MAX];
        for doc_count in [22, 1_000] {
            let lengths = Lengths::new(docs.clone(), values.clone(), doc_count);
            assert_eq!(
                matches!(lengths, Lengths::Sparse { .. }),
                doc_count == 1_000
            );
            let mut out = [0; 3];
            lengths.gather(&[3, 20, 21], &mut out);
            assert_eq!(out, [1, 3, u16::MAX]);
            assert_eq!((lengths.get(9), lengths.get(10)), (2, 0));
        }
    }
}
