//! The agreement of the ranking with human judgement: nDCG@10 on collections in the SMART form.
//!
//! Each collection is a triple of files: documents (`.I` number, `.T` title, `.W` text), queries (the
//! same) and judgements (a query and a document a line). Cranfield numbers the queries of its
//! judgements by their place in the file, and marks documents that are not relevant with 5 or -1.
//!
//! `cargo run --release -p pelorus-lexical --example relevance FOLDER`

use std::collections::{HashMap, HashSet};
use std::path::Path;

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, Operand, Result};

const COLLECTIONS: [(&str, [&str; 3]); 2] = [
    ("Cranfield", ["cran.all", "cran.qry", "cranqrel"]),
    ("CISI", ["CISI.ALL", "CISI.QRY", "CISI.REL"]),
];
const DEPTH: usize = 10;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).expect("a folder of collections");
    for (name, files) in COLLECTIONS {
        let [documents, queries, judgements] = files.map(|file| {
            let bytes = std::fs::read(Path::new(&folder).join(file)).expect("a readable file");
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let by_place = name == "Cranfield";
        let (ndcg, count) = evaluate(&documents, &queries, &judgements, by_place)?;
        println!("{name}: nDCG@{DEPTH} {ndcg:.4} over {count} queries");
    }
    Ok(())
}

/// An entry of a file: its number, and the texts of its sections by their letter.
struct Entry {
    number: u32,
    sections: HashMap<char, String>,
}

fn evaluate(
    documents: &str,
    queries: &str,
    judgements: &str,
    by_place: bool,
) -> Result<(f64, usize)> {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &BitSet::default());
    let mut alive = BitSet::default();
    for document in entries(documents) {
        let text = |letter| document.sections.get(&letter).map_or("", String::as_str);
        index.add(
            document.number,
            &[("title", text('T')), ("body", text('W'))],
        )?;
        alive.insert(document.number);
    }
    index.publish();

    let relevant = relevant(judgements);
    let mut gains = Vec::new();
    for (place, query) in entries(queries).enumerate() {
        let number = if by_place {
            place as u32 + 1
        } else {
            query.number
        };
        let Some(relevant) = relevant.get(&number) else {
            continue;
        };
        let found = index.search(
            &LexicalQuery {
                text: query.sections[&'W'].replace(['"', '*'], " "),
                fields: None,
                k: DEPTH,
                operand: Operand::Or,
                ..LexicalQuery::default()
            },
            &alive,
        )?;
        let ranked = found.hits.iter().map(|(doc, _)| relevant.contains(doc));
        let ideal = (0..DEPTH).map(|rank| rank < relevant.len());
        gains.push(gain(ranked) / gain(ideal));
    }
    Ok((gains.iter().sum::<f64>() / gains.len() as f64, gains.len()))
}

/// Discounted cumulated gain of a ranking whose hits are relevant or not.
fn gain(ranked: impl Iterator<Item = bool>) -> f64 {
    let discounted = ranked.enumerate().filter(|&(_, is_relevant)| is_relevant);
    discounted
        .map(|(rank, _)| 1.0 / (rank as f64 + 2.0).log2())
        .sum()
}

fn entries(file: &str) -> impl Iterator<Item = Entry> {
    let parts = file
        .split("\n.I ")
        .map(|part| part.trim_start_matches(".I "));
    parts.filter_map(|part| {
        let mut lines = part.lines();
        let number = lines.next().and_then(|line| line.trim().parse().ok())?;
        let mut sections: HashMap<char, String> = HashMap::new();
        let mut letter = ' ';
        for line in lines {
            match line.as_bytes() {
                [b'.', one] => letter = char::from(*one),
                _ => {
                    let text = sections.entry(letter).or_default();
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        Some(Entry { number, sections })
    })
}

/// The relevant documents by query.
fn relevant(judgements: &str) -> HashMap<u32, HashSet<u32>> {
    let mut relevant: HashMap<u32, HashSet<u32>> = HashMap::new();
    for line in judgements.lines() {
        let numbers: Vec<f64> = line
            .split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect();
        let [query, document, rest @ ..] = &numbers[..] else {
            continue;
        };
        let is_graded = rest.len() == 1;
        if !is_graded || (1.0..5.0).contains(&rest[0]) {
            relevant
                .entry(*query as u32)
                .or_default()
                .insert(*document as u32);
        }
    }
    relevant
}
