use crate::statistics::FieldLength;

/// Token counts of one field in one segment, by local document number.
pub(crate) enum Lengths {
    /// Zero where the document lacks the field. Where none is above 255: half as many bytes are read from memory for the
    /// scattered documents of a word.
    Bytes(Vec<u8>),
    /// Zero where the document lacks the field.
    Dense(Vec<FieldLength>),
    /// For fields few documents have.
    Sparse {
        docs: Vec<u32>,
        lengths: Vec<FieldLength>,
    },
}

/// A field held by fewer than one document in this many is kept sparse: six bytes for each
/// document with the field against one or two for each document.
const SPARSE_BELOW_ONE_IN: usize = 8;

impl Lengths {
    /// From ascending documents and their lengths, in a segment of `doc_count` documents.
    pub(crate) fn new(docs: Vec<u32>, lengths: Vec<FieldLength>, doc_count: u32) -> Lengths {
        debug_assert_eq!(docs.len(), lengths.len(), "a length for each document");
        debug_assert!(
            docs.is_sorted_by(|a, b| a < b) && docs.last().is_none_or(|&last| last < doc_count),
            "documents ascend, and are in the segment"
        );
        if docs.len() * SPARSE_BELOW_ONE_IN < doc_count as usize {
            return Lengths::Sparse { docs, lengths };
        }
        let bytes: Result<Vec<u8>, _> =
            lengths.iter().map(|&length| u8::try_from(length)).collect();
        match bytes {
            Ok(bytes) => Lengths::Bytes(by_document(&docs, &bytes, doc_count)),
            Err(_) => Lengths::Dense(by_document(&docs, &lengths, doc_count)),
        }
    }

    /// The length at `doc`, 0 where it lacks the field.
    pub(crate) fn get(&self, doc: u32) -> FieldLength {
        match self {
            Lengths::Bytes(bytes) => FieldLength::from(bytes[doc as usize]),
            Lengths::Dense(dense) => dense[doc as usize],
            Lengths::Sparse { docs, lengths } => {
                docs.binary_search(&doc).map_or(0, |at| lengths[at])
            }
        }
    }

    /// The lengths at ascending `wanted`, all of which have the field.
    #[inline]
    pub(crate) fn gather(&self, wanted: &[u32], out: &mut [FieldLength]) {
        debug_assert_eq!(wanted.len(), out.len(), "room for each length");
        match self {
            Lengths::Bytes(bytes) => {
                for (length, &doc) in out.iter_mut().zip(wanted) {
                    *length = FieldLength::from(bytes[doc as usize]);
                }
            }
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
            Lengths::Bytes(bytes) => bytes.capacity(),
            Lengths::Dense(dense) => dense.capacity() * 2,
            Lengths::Sparse { docs, lengths } => docs.capacity() * 4 + lengths.capacity() * 2,
        }
    }
}

/// A value for each document of a segment, zero where it has none.
fn by_document<L: Copy + Default>(docs: &[u32], values: &[L], doc_count: u32) -> Vec<L> {
    debug_assert_eq!(docs.len(), values.len(), "a value for each document");
    let mut all = vec![L::default(); doc_count as usize];
    for (&doc, &value) in docs.iter().zip(values) {
        all[doc as usize] = value;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_answer_alike_however_they_are_kept() {
        let docs: Vec<u32> = vec![3, 9, 20, 21];
        for longest in [u16::from(u8::MAX), u16::from(u8::MAX) + 1, u16::MAX] {
            let values: Vec<FieldLength> = vec![1, 2, 3, longest];
            for doc_count in [22, 1_000] {
                let lengths = Lengths::new(docs.clone(), values.clone(), doc_count);
                let is_as_expected = match lengths {
                    Lengths::Sparse { .. } => doc_count == 1_000,
                    Lengths::Bytes(_) => doc_count == 22 && longest == 255,
                    Lengths::Dense(_) => doc_count == 22 && longest > 255,
                };
                assert!(is_as_expected, "{longest} in {doc_count}");
                let mut out = [0; 3];
                lengths.gather(&[3, 20, 21], &mut out);
                assert_eq!(out, [1, 3, longest]);
                assert_eq!((lengths.get(9), lengths.get(10)), (2, 0));
            }
        }
    }
}
