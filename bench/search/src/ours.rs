use std::collections::HashMap;
use std::path::Path;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, Operand};

use crate::Result;
use crate::command::Cell;
use crate::corpus::{field_names, for_each_document};
use crate::serve::Engine;

/// Our crate, with every document moved to segments.
pub struct Ours {
    index: LexicalIndex,
    all: BitSet,
    marked: HashMap<String, BitSet>,
}

/// Documents that are made visible together.
const BATCH: usize = 128;

impl Engine for Ours {
    fn build(directory: &Path, folder: &Path) -> Result<()> {
        let index = LexicalIndex::open(folder, LexicalOptions::default(), &BitSet::default());
        let names = field_names(directory)?;
        let mut texts: Vec<Vec<String>> = Vec::new();
        let mut next = 0;
        let add = |texts: &mut Vec<Vec<String>>, next: &mut u32| -> Result<()> {
            let fields = |texts: &'_ Vec<String>| -> Vec<(String, String)> {
                names.iter().cloned().zip(texts.iter().cloned()).collect()
            };
            let documents: Vec<Vec<(String, String)>> = texts.iter().map(fields).collect();
            let batch = index.invert(documents.iter().map(|fields| {
                let fields = fields.iter();
                fields
                    .map(|(name, text)| (&**name, &**text))
                    .collect::<Vec<_>>()
            }));
            let end = *next + texts.len() as u32;
            index.add_batch(&batch, &(*next..end).map(Some).collect::<Vec<_>>())?;
            index.publish();
            if index.needs_flush() {
                index.maintain()?;
            }
            *next = end;
            texts.clear();
            Ok(())
        };
        for_each_document(directory, |_, fields| {
            texts.push(fields.into_iter().map(str::to_owned).collect());
            if texts.len() == BATCH {
                add(&mut texts, &mut next)?;
            }
            Ok(())
        })?;
        add(&mut texts, &mut next)?;
        index.close()?;
        Ok(())
    }

    fn open(directory: &Path, folder: &Path) -> Result<Self> {
        let mut marked: HashMap<String, BitSet> = HashMap::new();
        let mut count = 0;
        for_each_document(directory, |marks, _| {
            for mark in marks.split(' ').filter(|mark| !mark.is_empty()) {
                marked.entry(mark.to_owned()).or_default().insert(count);
            }
            count += 1;
            Ok(())
        })?;
        let all = BitSet::full(count);
        let index = LexicalIndex::open(folder, LexicalOptions::default(), &all);
        if index.watermark() < count {
            return Err("the index lacks documents".into());
        }
        Ok(Ours { index, all, marked })
    }

    fn search(
        &mut self,
        cell: &Cell,
        words: &[String],
        k: usize,
    ) -> Result<(Vec<u32>, Option<u64>)> {
        let text = match cell.required {
            false => words.join(" "),
            true => format!("\"{}\"", words.join("\" \"")),
        };
        let query = LexicalQuery {
            text,
            fields: cell.fields.clone(),
            k,
            operand: Operand::Or,
            language: None,
        };
        let accept = match &cell.mark {
            None => &self.all,
            Some(mark) => self.marked.get(mark).ok_or("no document has the mark")?,
        };
        let (hits, total) = match cell.total {
            false => (
                self.index
                    .reader()
                    .search_top(&query, accept, &Cancellation::never())?,
                None,
            ),
            true => {
                let found = self.index.search(&query, accept)?;
                (found.hits, Some(found.total))
            }
        };
        Ok((hits.into_iter().map(|(doc, _)| doc).collect(), total))
    }
}
