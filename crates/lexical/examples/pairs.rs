//! The texts that are found by some queries, beside those expected.
//!
//! Each line of the file is an object with `group`, `text`, `query` and `finds`: whether an index that
//! holds the text alone answers the query with it. Prints the pairs that differ, and the rate.
//!
//! `cargo run -p pelorus-lexical --example pairs FILE`

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, Operand, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Pair {
    group: String,
    text: String,
    query: String,
    finds: bool,
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).expect("a file of pairs");
    let lines = std::fs::read_to_string(path).expect("a readable file");
    let pairs: Vec<Pair> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a pair"))
        .collect();
    let mut right = 0;
    for pair in &pairs {
        if finds(&pair.text, &pair.query)? == pair.finds {
            right += 1;
        } else {
            println!(
                "{}: {:?} by {:?}: expected {}",
                pair.group, pair.text, pair.query, pair.finds
            );
        }
    }
    println!("{right} of {} as expected", pairs.len());
    Ok(())
}

fn finds(text: &str, query: &str) -> Result<bool> {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &BitSet::default());
    index.add(0, &[("text", text)])?;
    index.publish();
    let query = LexicalQuery {
        text: query.to_owned(),
        fields: None,
        k: 1,
        operand: Operand::Or,
        ..LexicalQuery::default()
    };
    Ok(index.search(&query, &[0].into_iter().collect())?.total > 0)
}
