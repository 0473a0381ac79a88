//! Geo points and sparse vectors as bytes that scripts of the cluster read, exact to the last bit.
//!
//! A document has all its points in one binary field, and all its sparse vectors in another: a value for each column, so
//! that any number of columns needs no mapping. All numbers are big endian.
//!
//! ```text
//! point          | bytes of the column u32 | column | latitude i32 | longitude i32 |
//! sparse vector  | bytes of the column u32 | column | index u32, weight f32, ascending by index ... |
//! ```

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pelorus_columns::TypedValue;
use serde::Serialize;

/// The values of a document that scripts read, each in base64.
#[derive(Debug, Default, Serialize)]
pub(crate) struct PackedValues {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    points: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sparse: Vec<String>,
}

impl PackedValues {
    pub fn of(values: &[(String, TypedValue)]) -> Self {
        let mut packed = Self::default();
        for (column, value) in values {
            match value {
                TypedValue::Point(point) => {
                    let mut bytes = start(column);
                    bytes.extend(point.lat().to_be_bytes());
                    bytes.extend(point.lon().to_be_bytes());
                    packed.points.push(STANDARD.encode(bytes));
                }
                TypedValue::Sparse(vector) => {
                    let mut bytes = start(column);
                    for (index, weight) in vector.entries() {
                        bytes.extend(index.to_be_bytes());
                        bytes.extend(weight.to_be_bytes());
                    }
                    packed.sparse.push(STANDARD.encode(bytes));
                }
                _ => {}
            }
        }
        packed
    }
}

/// The bytes that the values of a column begin with, and no others.
fn start(column: &str) -> Vec<u8> {
    let mut bytes = (column.len() as u32).to_be_bytes().to_vec();
    bytes.extend_from_slice(column.as_bytes());
    bytes
}

/// The parameter by which [`READING`] finds the value of a column: the bytes that it begins with, as Java has bytes.
pub(crate) fn start_parameter(column: &str) -> Vec<i8> {
    start(column).into_iter().map(|byte| byte as i8).collect()
}

/// Functions that begin a script: `place` gives the place of what follows the start of a column, -1 in the value of another
/// one; `number` reads 32 bits.
pub(crate) const READING: &str = "
int place(BytesRef value, def start) {
  int count = start.size();
  if (value.length < count) { return -1; }
  for (int at = 0; at < count; ++at) {
    if (value.bytes[value.offset + at] != (int) start.get(at)) { return -1; }
  }
  return value.offset + count;
}
int number(BytesRef value, int at) {
  byte[] bytes = value.bytes;
  return ((bytes[at] & 255) << 24) | ((bytes[at + 1] & 255) << 16) | ((bytes[at + 2] & 255) << 8) | (bytes[at + 3] & 255);
}
";
