//! The vectors of one document: per tensor field the chunks' texts and one vector each.
//!
//! Layout (little endian): version `u8`, then per field: name, kind `u8`, weights JSON (empty
//! unless multimodal), chunk count `u32`, chunk texts, then `chunks * dimensions` numbers: `f32`
//! in version 1, bfloat16 in version 2, in version 5 int8 with a step before those of each chunk. A text is its length
//! as `u32` and its bytes.
//!
//! Numbers that are kept elsewhere, as rows of a file, are told by a reference in their place: in
//! version 3 to rows of `f32`, in version 4 to rows of bfloat16, in version 6 to rows of int8. It is the number of the
//! first row, `u64`, and the CRC-32 of the bytes of all rows, one for each chunk.

use pelorus_hnsw::NumericType;

use crate::error::{DocumentsError, Result};
use crate::length_prefixed::{Reader, push_text};

/// Each version: the type of its numbers, and whether references stand in their place.
const VERSIONS: [(u8, NumericType, bool); 6] = [
    (1, NumericType::Float, false),
    (2, NumericType::Bfloat16, false),
    (3, NumericType::Float, true),
    (4, NumericType::Bfloat16, true),
    (5, NumericType::Int8, false),
    (6, NumericType::Int8, true),
];
/// Bytes of a reference.
const REFERENCE_BYTES: usize = size_of::<u64>() + size_of::<u32>();

/// The source of a field's vectors; decides whether they may be reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorKind {
    Text,
    Vector,
    Multimodal,
}

/// Chunks and vectors of one tensor field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldTensors {
    pub field: String,
    pub kind: TensorKind,
    /// JSON of the weights of a multimodal field, empty otherwise.
    pub weights: String,
    pub chunks: Vec<String>,
    /// One row of `dimensions` floats per chunk.
    pub vectors: Vec<f32>,
}

impl FieldTensors {
    /// Tells whether each chunk can have a row of the same length.
    pub(crate) fn is_whole(&self) -> bool {
        match self.chunks.len() {
            0 => self.vectors.is_empty(),
            chunks => !self.vectors.is_empty() && self.vectors.len().is_multiple_of(chunks),
        }
    }

    /// Bytes that they take until they are written, about.
    pub(crate) fn bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(String::len).sum();
        size_of_val(self.vectors.as_slice()) + chunks
    }
}

/// Writes the tensors of a document, whose numbers are of the type given: they are read back as
/// they are.
pub fn encode_tensors(tensors: &[FieldTensors], numbers: NumericType) -> Vec<u8> {
    let mut bytes = vec![version(numbers, false)];
    for tensor in tensors {
        debug_assert!(tensor.is_whole(), "a row of numbers for each chunk");
        push_text(&mut bytes, &tensor.field);
        bytes.push(tensor.kind as u8);
        push_text(&mut bytes, &tensor.weights);
        bytes.extend_from_slice(&(tensor.chunks.len() as u32).to_le_bytes());
        for chunk in &tensor.chunks {
            push_text(&mut bytes, chunk);
        }
        let dimensions = tensor.vectors.len().checked_div(tensor.chunks.len());
        for vector in tensor.vectors.chunks_exact(dimensions.unwrap_or(0).max(1)) {
            let start = bytes.len();
            bytes.resize(start + numbers.row_bytes(vector.len()), 0);
            numbers.write_row(vector, &mut bytes[start..]);
        }
    }
    bytes
}

/// Reads the tensors of a document.
///
/// # Errors
/// [`DocumentsError::Stored`] when the bytes are not what [`encode_tensors`] writes for this dimension.
pub fn decode_tensors(bytes: &[u8], dimensions: usize) -> Result<Vec<FieldTensors>> {
    let mut reader = TensorReader::of(bytes).ok_or_else(damaged)?;
    let mut tensors = Vec::new();
    while !reader.bytes.rest().is_empty() {
        tensors.push(reader.field(dimensions).ok_or_else(damaged)?);
    }
    Ok(tensors)
}

/// The source of a tensor field, without its chunks and vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorHead {
    pub field: String,
    pub kind: TensorKind,
    /// As in [`FieldTensors`].
    pub weights: String,
}

impl From<&FieldTensors> for TensorHead {
    fn from(tensors: &FieldTensors) -> Self {
        Self {
            field: tensors.field.clone(),
            kind: tensors.kind,
            weights: tensors.weights.clone(),
        }
    }
}

/// Reads the sources of a document's tensors, wherever their numbers are.
///
/// # Errors
/// As [`decode_tensors`].
pub fn decode_tensor_heads(bytes: &[u8], dimensions: usize) -> Result<Vec<TensorHead>> {
    let mut reader = TensorReader::of(bytes).ok_or_else(damaged)?;
    let mut heads = Vec::new();
    while !reader.bytes.rest().is_empty() {
        let head = reader.field_head().ok_or_else(damaged)?;
        reader.skip_chunks(&head, dimensions).ok_or_else(damaged)?;
        heads.push(TensorHead {
            field: head.field.to_owned(),
            kind: head.kind,
            weights: head.weights.to_owned(),
        });
    }
    Ok(heads)
}

/// The place of the numbers of a field: rows that follow each other, one for each chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowReference {
    /// The number of the first row.
    pub first: u64,
    /// The number of rows; where there are none the rest means nothing.
    pub count: usize,
    /// CRC-32 of their bytes.
    pub checksum: u32,
}

/// Replaces the numbers of a document by references, which `refer` makes of a field's name, its count
/// of chunks and the bytes of its numbers. None where it makes none of one, or where the numbers are
/// elsewhere already.
///
/// # Errors
/// As [`decode_tensors`].
pub fn refer_to_rows(
    bytes: &[u8],
    dimensions: usize,
    mut refer: impl FnMut(&str, usize, &[u8]) -> Option<RowReference>,
) -> Result<Option<Vec<u8>>> {
    let mut reader = TensorReader::of(bytes).ok_or_else(damaged)?;
    if reader.refers {
        return Ok(None);
    }
    let mut out = vec![version(reader.numbers, true)];
    while !reader.bytes.rest().is_empty() {
        let (head, field, numbers) = reader.parts(dimensions).ok_or_else(damaged)?;
        let reference = match head.chunk_count {
            0 => Some(RowReference {
                first: 0,
                count: 0,
                checksum: 0,
            }),
            count => refer(head.field, count, numbers),
        };
        let Some(reference) = reference else {
            return Ok(None);
        };
        debug_assert_eq!(reference.count, head.chunk_count, "a row for each chunk");
        out.extend_from_slice(field);
        out.extend_from_slice(&reference.first.to_le_bytes());
        out.extend_from_slice(&reference.checksum.to_le_bytes());
    }
    Ok(Some(out))
}

/// The references of a document to numbers that are kept elsewhere, by field, those without any rows
/// left out; none where the numbers are here.
///
/// # Errors
/// As [`decode_tensors`].
pub fn decode_references(
    bytes: &[u8],
    dimensions: usize,
) -> Result<Option<Vec<(&str, RowReference)>>> {
    let mut reader = TensorReader::of(bytes).ok_or_else(damaged)?;
    if !reader.refers {
        return Ok(None);
    }
    let mut references = Vec::new();
    while !reader.bytes.rest().is_empty() {
        let (head, _, reference) = reader.parts(dimensions).ok_or_else(damaged)?;
        if head.chunk_count > 0 {
            let reference = read_reference(reference, head.chunk_count).ok_or_else(damaged)?;
            references.push((head.field, reference));
        }
    }
    Ok(Some(references))
}

/// Puts the numbers of a document in the place of references to them: `copy` appends the bytes of the rows that a field
/// refers to. A field that holds its numbers stays as it is.
///
/// # Errors
/// As [`decode_tensors`], also where the rows are not a row for each chunk, and those of `copy`.
pub fn resolve_rows<E: From<DocumentsError>>(
    bytes: Vec<u8>,
    dimensions: usize,
    mut copy: impl FnMut(&str, RowReference, &mut Vec<u8>) -> std::result::Result<(), E>,
) -> std::result::Result<Vec<u8>, E> {
    let mut reader = TensorReader::of(&bytes).ok_or_else(damaged)?;
    if !reader.refers {
        return Ok(bytes);
    }
    let mut out = vec![version(reader.numbers, false)];
    while !reader.bytes.rest().is_empty() {
        let (head, field, reference) = reader.parts(dimensions).ok_or_else(damaged)?;
        out.extend_from_slice(field);
        if head.chunk_count > 0 {
            let reference = read_reference(reference, head.chunk_count).ok_or_else(damaged)?;
            let before = out.len();
            copy(head.field, reference, &mut out)?;
            let row_bytes = reader.numbers.row_bytes(dimensions);
            // The rows may be of another kind of numbers than the document says.
            if out.len() - before != reference.count * row_bytes {
                return Err(damaged().into());
            }
        }
    }
    Ok(out)
}

fn read_reference(bytes: &[u8], count: usize) -> Option<RowReference> {
    let (first, checksum) = bytes.split_first_chunk()?;
    Some(RowReference {
        first: u64::from_le_bytes(*first),
        count,
        checksum: u32::from_le_bytes(checksum.try_into().ok()?),
    })
}

/// Reads the text of one chunk of one field, past the fields before it; none where there is no such
/// field or chunk.
///
/// # Errors
/// As [`decode_tensors`], of what was read.
pub fn decode_chunk<'a>(
    bytes: &'a [u8],
    dimensions: usize,
    field: &str,
    chunk: u32,
) -> Result<Option<&'a str>> {
    let mut reader = TensorReader::of(bytes).ok_or_else(damaged)?;
    while !reader.bytes.rest().is_empty() {
        let head = reader.field_head().ok_or_else(damaged)?;
        if head.field != field {
            reader.skip_chunks(&head, dimensions).ok_or_else(damaged)?;
            continue;
        }
        if chunk as usize >= head.chunk_count {
            return Ok(None);
        }
        for _ in 0..chunk {
            reader.bytes.skip_text().ok_or_else(damaged)?;
        }
        return reader.bytes.text().ok_or_else(damaged).map(Some);
    }
    Ok(None)
}

fn damaged() -> DocumentsError {
    DocumentsError::Stored { what: "tensor" }
}

struct TensorReader<'a> {
    bytes: Reader<'a>,
    numbers: NumericType,
    /// Tells whether references stand in the place of numbers.
    refers: bool,
}

/// The head of a field, before its chunks.
struct FieldHead<'a> {
    field: &'a str,
    kind: TensorKind,
    weights: &'a str,
    chunk_count: usize,
}

impl<'a> TensorReader<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut bytes = Reader::new(bytes);
        let received = bytes.byte()?;
        let mut versions = VERSIONS.into_iter();
        let (_, numbers, refers) = versions.find(|(version, ..)| *version == received)?;
        Some(Self {
            bytes,
            numbers,
            refers,
        })
    }

    fn field_head(&mut self) -> Option<FieldHead<'a>> {
        Some(FieldHead {
            field: self.bytes.text()?,
            kind: match self.bytes.byte()? {
                0 => TensorKind::Text,
                1 => TensorKind::Vector,
                2 => TensorKind::Multimodal,
                _ => return None,
            },
            weights: self.bytes.text()?,
            chunk_count: self.bytes.length()?,
        })
    }

    fn field(&mut self, dimensions: usize) -> Option<FieldTensors> {
        let head = self.field_head()?;
        if self.refers {
            return None;
        }
        // A length is bounded by the bytes that are left before anything is allocated.
        if head.chunk_count > self.bytes.rest().len() {
            return None;
        }
        let mut chunks = Vec::with_capacity(head.chunk_count);
        for _ in 0..head.chunk_count {
            chunks.push(self.bytes.text()?.to_owned());
        }
        let vectors = self.numbers(head.chunk_count, dimensions)?;
        Some(FieldTensors {
            field: head.field.to_owned(),
            kind: head.kind,
            weights: head.weights.to_owned(),
            chunks,
            vectors,
        })
    }

    /// The next field: its head, its bytes before the numbers, and those of the numbers or of the
    /// reference in their place.
    fn parts(&mut self, dimensions: usize) -> Option<(FieldHead<'a>, &'a [u8], &'a [u8])> {
        let whole = self.bytes.rest();
        let head = self.field_head()?;
        let numbers = self.skip_chunks(&head, dimensions)?;
        let before = whole.len() - self.bytes.rest().len() - numbers.len();
        Some((head, &whole[..before], numbers))
    }

    /// The bytes of the numbers, or of the reference in their place, past the texts before them.
    fn skip_chunks(&mut self, head: &FieldHead<'_>, dimensions: usize) -> Option<&'a [u8]> {
        for _ in 0..head.chunk_count {
            self.bytes.skip_text()?;
        }
        if self.refers {
            return self.bytes.take(REFERENCE_BYTES);
        }
        self.rows(head.chunk_count, dimensions)
    }

    /// The bytes of so many vectors.
    fn rows(&mut self, count: usize, dimensions: usize) -> Option<&'a [u8]> {
        let bytes = count.checked_mul(self.numbers.row_bytes(dimensions))?;
        self.bytes.take(bytes)
    }

    fn numbers(&mut self, count: usize, dimensions: usize) -> Option<Vec<f32>> {
        let rows = self.rows(count, dimensions)?;
        let mut numbers = Vec::with_capacity(count.checked_mul(dimensions)?);
        for row in rows.chunks_exact(self.numbers.row_bytes(dimensions).max(1)) {
            self.numbers.read_row(row, |x| numbers.push(x));
        }
        Some(numbers)
    }
}

/// The version of tensors with such numbers, or with references to them.
fn version(numbers: NumericType, refers: bool) -> u8 {
    let mut versions = VERSIONS.into_iter();
    let found = versions.find(|&(_, of, referring)| (of, referring) == (numbers, refers));
    found.expect("each type has its versions").0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stored_tensors_keep_their_form() {
        let tensors = [FieldTensors {
            field: "f".into(),
            kind: TensorKind::Vector,
            weights: String::new(),
            chunks: vec!["c".into()],
            vectors: vec![1.0],
        }];
        let head = [
            1, 0, 0, 0, b'f', 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, b'c',
        ];
        let floats = encode_tensors(&tensors, NumericType::Float);
        assert_eq!(floats, [&[1], &head[..], &[0, 0, 0x80, 0x3f]].concat());
        let halves = encode_tensors(&tensors, NumericType::Bfloat16);
        assert_eq!(halves, [&[2], &head[..], &[0x80, 0x3f]].concat());
        let bytes = encode_tensors(&tensors, NumericType::Int8);
        // The step is a 127th, rounded up to 17 bits.
        let row = [0x80, 0x02, 0x01, 0x3c, 127];
        assert_eq!(bytes, [&[5], &head[..], &row].concat());
    }

    #[test]
    fn tensors_read_back_as_written_and_cut_bytes_are_refused() {
        let tensors = vec![
            FieldTensors {
                field: "title".into(),
                kind: TensorKind::Text,
                weights: String::new(),
                chunks: vec!["a".into(), "b c".into()],
                vectors: vec![1.0, 2.0, 3.0, 4.0],
            },
            FieldTensors {
                field: "mix".into(),
                kind: TensorKind::Multimodal,
                weights: r#"{"a":1}"#.into(),
                chunks: vec!["{}".into()],
                vectors: vec![0.5, -0.5],
            },
        ];
        let lengths = [NumericType::Float, NumericType::Bfloat16].map(|numbers| {
            let bytes = encode_tensors(&tensors, numbers);
            assert_eq!(decode_tensors(&bytes, 2).unwrap(), tensors);
            assert!(decode_tensors(&bytes[..bytes.len() - 1], 2).is_err());
            assert!(decode_tensors(&bytes, 3).is_err());
            bytes.len()
        });
        assert_eq!(lengths[0] - lengths[1], 6 * 2);
        assert!(decode_tensors(&[], 2).is_err());
        for version in [0, 7, 255] {
            assert!(decode_tensors(&[version], 2).is_err());
        }
    }

    #[test]
    fn a_reference_keeps_its_form() {
        let tensors = [FieldTensors {
            field: "f".into(),
            kind: TensorKind::Vector,
            weights: String::new(),
            chunks: vec!["c".into()],
            vectors: vec![1.0],
        }];
        let reference = RowReference {
            first: 0x0102,
            count: 1,
            checksum: 0x0a0b_0c0d,
        };
        for (numbers, version) in NumericType::ALL.into_iter().zip([3, 4, 6]) {
            let inline = encode_tensors(&tensors, numbers);
            let referring = refer_to_rows(&inline, 1, |field, count, bytes| {
                assert_eq!((field, count), ("f", 1));
                assert_eq!(bytes, &inline[inline.len() - bytes.len()..]);
                Some(reference)
            });
            let referring = referring.unwrap().unwrap();
            let expected = [
                version, 1, 0, 0, 0, b'f', 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, b'c', 2, 1, 0, 0,
                0, 0, 0, 0, 0x0d, 0x0c, 0x0b, 0x0a,
            ];
            assert_eq!(referring, expected);
        }
    }

    #[test]
    fn rows_of_another_length_are_refused() {
        let tensors = FieldTensors {
            field: "f".into(),
            kind: TensorKind::Text,
            weights: String::new(),
            chunks: vec!["c".into()],
            vectors: vec![0.5],
        };
        let bytes = encode_tensors(&[tensors], NumericType::Bfloat16);
        let refer = |_: &str, count: usize, _: &[u8]| {
            Some(RowReference {
                first: 0,
                count,
                checksum: 0,
            })
        };
        let referring = refer_to_rows(&bytes, 1, refer).unwrap().unwrap();
        for row_bytes in 0..=4 {
            let copy = |_: &str, _: RowReference, out: &mut Vec<u8>| {
                out.extend(vec![0; row_bytes]);
                Ok::<_, DocumentsError>(())
            };
            let resolved = resolve_rows(referring.clone(), 1, copy);
            assert_eq!(resolved.is_ok(), row_bytes == 2, "{row_bytes}");
        }
    }

    const DIMENSIONS: usize = 3;

    prop_compose! {
        fn some_tensors()(fields in prop::collection::vec(
            ("[a-c]", "[a-z]{0,3}", prop::collection::vec("\\PC{0,6}", 0..4)),
            0..5,
        )) -> Vec<FieldTensors> {
            let tensors = fields.into_iter().map(|(field, weights, chunks)| FieldTensors {
                field,
                kind: TensorKind::Multimodal,
                weights,
                vectors: vec![0.5; chunks.len() * DIMENSIONS],
                chunks,
            });
            tensors.collect()
        }
    }

    fn some_numbers() -> impl Strategy<Value = NumericType> {
        prop::sample::select(&NumericType::ALL[..])
    }

    /// The same by way of everything.
    fn chunk_of(tensors: &[FieldTensors], field: &str, chunk: u32) -> Option<String> {
        let tensor = tensors.iter().find(|tensor| tensor.field == field)?;
        tensor.chunks.get(chunk as usize).cloned()
    }

    proptest! {
        /// Numbers kept elsewhere come back, bit for bit, and their texts are read without them.
        #[test]
        fn numbers_that_are_kept_elsewhere_come_back(
            tensors in some_tensors(), numbers in some_numbers(), field in "[a-d]", chunk in 0u32..5,
        ) {
            let bytes = encode_tensors(&tensors, numbers);
            let mut rows: Vec<(String, Vec<u8>)> = Vec::new();
            let refer = |field: &str, count: usize, bytes: &[u8]| {
                rows.push((field.to_owned(), bytes.to_vec()));
                let first = rows.len() as u64;
                Some(RowReference { first, count, checksum: crc32fast::hash(bytes) })
            };
            let referring = refer_to_rows(&bytes, DIMENSIONS, refer).unwrap().unwrap();
            prop_assert!(refer_to_rows(&referring, DIMENSIONS, |_, _, _| None).unwrap().is_none());
            prop_assert!(decode_tensors(&referring, DIMENSIONS).is_err() || tensors.is_empty());
            let found = decode_chunk(&referring, DIMENSIONS, &field, chunk).unwrap();
            prop_assert_eq!(found.map(str::to_owned), chunk_of(&tensors, &field, chunk));

            prop_assert_eq!(decode_references(&bytes, DIMENSIONS).unwrap(), None);
            let references = decode_references(&referring, DIMENSIONS).unwrap().unwrap();
            let fields: Vec<&str> = references.iter().map(|(field, _)| *field).collect();
            let expected: Vec<&str> = rows.iter().map(|(field, _)| &**field).collect();
            prop_assert_eq!(fields, expected);

            let copy = |field: &str, reference: RowReference, out: &mut Vec<u8>| {
                let (of, bytes) = &rows[reference.first as usize - 1];
                assert_eq!((&**of, crc32fast::hash(bytes)), (field, reference.checksum));
                out.extend_from_slice(bytes);
                Ok::<_, DocumentsError>(())
            };
            prop_assert_eq!(&resolve_rows(referring.clone(), DIMENSIONS, copy).unwrap(), &bytes);
            prop_assert_eq!(&resolve_rows(bytes.clone(), DIMENSIONS, copy).unwrap(), &bytes);
            for cut in 0..referring.len() {
                let cut = referring[..cut].to_vec();
                if let Ok(whole) = resolve_rows(cut, DIMENSIONS, copy) {
                    prop_assert!(whole.len() < bytes.len() && bytes.starts_with(&whole));
                }
            }
        }

        #[test]
        fn one_chunk_is_the_one_among_all(
            tensors in some_tensors(), numbers in some_numbers(), field in "[a-d]", chunk in 0u32..5,
        ) {
            let bytes = encode_tensors(&tensors, numbers);
            let found = decode_chunk(&bytes, DIMENSIONS, &field, chunk).unwrap();
            prop_assert_eq!(found.map(str::to_owned), chunk_of(&tensors, &field, chunk));
        }

        #[test]
        fn of_damaged_bytes_a_chunk_is_refused_or_the_one_among_all(
            tensors in some_tensors(), numbers in some_numbers(), field in "[a-d]", chunk in 0u32..5,
            at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
        ) {
            let mut bytes = encode_tensors(&tensors, numbers);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if cut {
                bytes.truncate(at);
            }
            let found = decode_chunk(&bytes, DIMENSIONS, &field, chunk);
            if let Ok(all) = decode_tensors(&bytes, DIMENSIONS) {
                let expected = chunk_of(&all, &field, chunk);
                prop_assert_eq!(found.unwrap().map(str::to_owned), expected);
            }
        }
    }
}
