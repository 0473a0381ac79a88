//! A sparse vector in place of the words of a search: inner products by a script, exact to the last bit.
//!
//! Lucene keeps weights of features in nine bits. Here the documents that have an index of the query are found by terms, and
//! a script adds up their products in 64 bits, in the order of the indices, as `crates/sparse` does. Scores of OpenSearch have
//! 32 bits, so that the products are what documents are sorted by.

use std::sync::LazyLock;

use pelorus_columns::SparseVector;
use pelorus_engine::{CandidateIndex, Result, SparseQuery, sparse_vector};
use serde_json::{Value, json};

use crate::filter::terms;
use crate::packed::{READING, start_parameter};
use crate::value_terms::index_term;

/// Gives the inner product with the vector of a column. Indices ascend in both.
static INNER_PRODUCT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{READING}
List indices = (List) params.indices;
List weights = (List) params.weights;
int count = indices.size();
double sum = 0;
for (BytesRef value : doc['sparse']) {{
  int at = place(value, params.start);
  if (at < 0) {{ continue; }}
  int end = value.offset + value.length;
  int of_query = 0;
  long wanted = (long) indices.get(0);
  while (at < end) {{
    long index = number(value, at) & 0xffffffffL;
    if (index < wanted) {{
      at += 8;
      continue;
    }}
    if (index == wanted) {{
      sum += (double) weights.get(of_query) * (double) Float.intBitsToFloat(number(value, at + 4));
      at += 8;
    }}
    of_query += 1;
    if (of_query == count) {{ break; }}
    wanted = (long) indices.get(of_query);
  }}
}}
return sum;"
    )
});

/// The sparse vector that a search has in place of words.
pub(crate) struct SparseLeg {
    field: String,
    vector: SparseVector,
}

impl SparseLeg {
    /// # Errors
    /// `invalid_argument` for entries that make no vector, and for an index whose documents have none to score.
    pub fn of(query: &SparseQuery, index: &CandidateIndex) -> Result<Self> {
        index.check_packed("the weights that sparseQuery asks for")?;
        Ok(Self {
            field: query.field.clone(),
            vector: sparse_vector(query)?,
        })
    }

    /// The query of the documents that have an index of it.
    pub fn matching(&self) -> Value {
        let entries = self.vector.entries().iter();
        let indices = entries.map(|(index, _)| index_term(&self.field, *index));
        terms(indices.collect())
    }

    /// The sort of these documents by their inner products, the greatest first.
    pub fn order(&self) -> Value {
        let (indices, weights): (Vec<u32>, Vec<f64>) = (self.vector.entries().iter())
            .map(|&(index, weight)| (index, f64::from(weight)))
            .unzip();
        let params = json!({
            "start": start_parameter(&self.field), "indices": indices, "weights": weights,
        });
        let script = json!({"lang": "painless", "source": *INNER_PRODUCT, "params": params});
        json!([{"_script": {"type": "number", "order": "desc", "script": script}}])
    }

    /// Bytes that tell it from others.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        let entries = self.vector.entries().iter();
        let of_entries = entries.flat_map(|(index, weight)| {
            index.to_le_bytes().into_iter().chain(weight.to_le_bytes())
        });
        self.field.bytes().chain(of_entries)
    }
}
