//! The fields of an index of OpenSearch that a search reads.

use pelorus_hnsw::Metric;

/// The keyword field of the terms of a document's values.
pub const VALUES: &str = "values";
/// The binary field of the points of a document, which scripts read.
pub(crate) const POINTS: &str = "points";
/// The id as the client wrote it, which no search looks into.
pub const ID: &str = "id";
/// The stored form of a document, in base64.
pub const STORED: &str = "stored";
/// The vector of a chunk, within the nested field of its tensor field.
const VECTOR: &str = "vector";
/// The object of the mapping whose fields are facts about those of ours; documents have none of them.
pub(crate) const FACTS: &str = "facts";
/// The text of a chunk, beside its vector.
const TEXT: &str = "text";
/// The kinds and weights of a document's tensor fields.
pub(crate) const SOURCES: &str = "sources";
/// Begins the name of the nested field of a tensor field's chunks.
pub(crate) const CHUNKS: &str = "chunks_";

/// The field of the tokens of a text field, with blanks between them.
pub fn words_path(field: &str) -> String {
    format!("words.{}", path_part(field))
}

/// The nested field of the chunks of a tensor field.
pub fn chunks_path(field: &str) -> String {
    CHUNKS.to_owned() + &path_part(field)
}

/// The field of the vectors of a tensor field.
pub fn vector_path(field: &str) -> String {
    format!("{}.{VECTOR}", chunks_path(field))
}

/// The field of the texts of a tensor field's chunks.
pub fn text_path(field: &str) -> String {
    format!("{}.{TEXT}", chunks_path(field))
}

/// A name as part of a path: letters and digits as they are, every other byte as two digits behind an underscore.
pub(crate) fn path_part(name: &str) -> String {
    let mut part = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() => part.push(char::from(byte)),
            byte => part.push_str(&format!("_{byte:02x}")),
        }
    }
    part
}

/// The name that [`path_part`] wrote; none where it has written no such part.
pub(crate) fn path_name(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'_' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// The name of a metric in OpenSearch; none where its Lucene engine has none.
pub fn space_type(metric: Metric) -> Option<&'static str> {
    match metric {
        Metric::PrenormalizedAngular | Metric::DotProduct => Some("innerproduct"),
        Metric::Angular => Some("cosinesimil"),
        Metric::Euclidean => Some("l2"),
        Metric::Geodegrees | Metric::Hamming | Metric::L1 | Metric::Linf => None,
    }
}

/// The distance that a score of OpenSearch stands for. `squared_length` is that of the query vector.
pub fn distance(metric: Metric, score: f32, squared_length: f32) -> f32 {
    let score = f64::from(score);
    let distance = match metric {
        Metric::PrenormalizedAngular => {
            1.0 - (dot_product(score) / f64::from(squared_length)).clamp(-1.0, 1.0)
        }
        Metric::DotProduct => -dot_product(score),
        Metric::Angular => (2.0 * score - 1.0).clamp(-1.0, 1.0).acos(),
        _ => (1.0 / score - 1.0).max(0.0).sqrt(),
    };
    distance as f32
}

/// Lucene's score of the maximum inner product: `1 + dot`, or `1 / (1 - dot)` below 0.
fn dot_product(score: f64) -> f64 {
    match score >= 1.0 {
        true => score - 1.0,
        false => 1.0 - 1.0 / score,
    }
}

#[cfg(test)]
mod tests {
    use super::{path_name, path_part};

    #[test]
    fn a_part_tells_its_name() {
        for name in ["title", "a.b", "", "_", "été 手", "a_62", "chunks_x"] {
            assert_eq!(path_name(&path_part(name)).as_deref(), Some(name));
        }
        for part in ["_", "_6", "_zz", "a_ff"] {
            assert_eq!(path_name(part), None, "{part}");
        }
    }
}
