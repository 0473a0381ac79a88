//! Documents and queries made of words by Zipf's law: uniform over the logarithm of a word's rank.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use pelorus_random::SplitMix64;
use serde::Deserialize;

use crate::Result;

#[derive(Deserialize)]
pub struct Definition {
    documents: u32,
    /// Different words.
    vocabulary: f64,
    fields: Vec<Field>,
    /// Name and share of the documents that have it.
    marks: BTreeMap<String, f64>,
    /// Name and ranks of the words of queries.
    words: BTreeMap<String, (f64, f64)>,
    queries: usize,
    terms_max: usize,
    seed: u64,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    /// The median length, and the factor to most others. Lengths are log-normal.
    median: f64,
    spread: f64,
    bounds: (f64, f64),
}

/// Files of a data set.
const NAMES: &str = "fields.txt";
const DOCUMENTS: &str = "documents.tsv";

/// Writes the field names, then a line for each document: its marks and its fields, with tabs between;
/// and for each kind of words a file of queries, a line each. The documents come last: with them the
/// set is whole.
pub fn generate(directory: &Path, definition: &Definition) -> Result<()> {
    fs::create_dir_all(directory)?;
    let names: Vec<&str> = definition.fields.iter().map(|field| &*field.name).collect();
    fs::write(directory.join(NAMES), names.join("\n"))?;
    for (stream, (name, &ranks)) in definition.words.iter().enumerate() {
        let mut random = SplitMix64(definition.seed + 1 + stream as u64);
        let mut file = BufWriter::new(File::create(directory.join(format!("{name}.txt")))?);
        for _ in 0..definition.queries {
            let mut words: Vec<String> = Vec::new();
            while words.len() < definition.terms_max {
                let word = word(log_uniform(&mut random, ranks));
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            writeln!(file, "{}", words.join(" "))?;
        }
        file.flush()?;
    }
    let incoming = directory.join("documents.incoming");
    let mut file = BufWriter::new(File::create(&incoming)?);
    let mut random = SplitMix64(definition.seed);
    for _ in 0..definition.documents {
        let marks = definition.marks.iter();
        let marks = marks.filter(|(_, share)| uniform(&mut random) < **share);
        let marks: Vec<&str> = marks.map(|(name, _)| &**name).collect();
        write!(file, "{}", marks.join(" "))?;
        for field in &definition.fields {
            let normal = f64::from(random.normal());
            let length = field.median * field.spread.powf(normal);
            let length = length.clamp(field.bounds.0, field.bounds.1) as usize;
            file.write_all(b"\t")?;
            for at in 0..length {
                let rank = log_uniform(&mut random, (1.0, definition.vocabulary));
                write!(file, "{}{}", if at > 0 { " " } else { "" }, word(rank))?;
            }
        }
        file.write_all(b"\n")?;
    }
    file.flush()?;
    fs::rename(incoming, directory.join(DOCUMENTS))?;
    Ok(())
}

/// The fields of a data set.
pub fn field_names(directory: &Path) -> Result<Vec<String>> {
    let names = fs::read_to_string(directory.join(NAMES))?;
    Ok(names.lines().map(str::to_owned).collect())
}

/// Visits each document: its marks and its fields, in the order of their names.
pub fn for_each_document(
    directory: &Path,
    mut visit: impl FnMut(&str, Vec<&str>) -> Result<()>,
) -> Result<()> {
    for line in BufReader::new(File::open(directory.join(DOCUMENTS))?).lines() {
        let line = line?;
        let mut columns = line.split('\t');
        let marks = columns.next().unwrap_or("");
        visit(marks, columns.collect())?;
    }
    Ok(())
}

/// The queries of a kind, each a list of words.
pub fn queries(directory: &Path, words: &str) -> Result<Vec<Vec<String>>> {
    let lines = fs::read_to_string(directory.join(format!("{words}.txt")))?;
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    Ok(lines.lines().map(words).collect())
}

/// A word that analysis leaves whole and apart from others: letters stand for digits.
fn word(rank: usize) -> String {
    let digits = rank.to_string();
    let letters = digits
        .bytes()
        .map(|digit| char::from(b'b' + (digit - b'0')));
    ['x'].into_iter().chain(letters).chain(['x']).collect()
}

fn log_uniform(random: &mut SplitMix64, (from, to): (f64, f64)) -> usize {
    (from * (to / from).powf(uniform(random))) as usize
}

/// Uniform in [0, 1).
fn uniform(random: &mut SplitMix64) -> f64 {
    (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}
