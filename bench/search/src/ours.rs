use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    LexicalIndex, LexicalOptions, LexicalQuery, MergePolicy, Operand, PrefixWords, Typing, Typos,
};

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

/// Adds every document in batches, and tells maintenance of each.
fn add_all(directory: &Path, index: &LexicalIndex, wake: &mpsc::SyncSender<()>) -> Result<()> {
    let names = field_names(directory)?;
    let mut texts: Vec<Vec<String>> = Vec::with_capacity(BATCH);
    let mut next = 0;
    let mut add = |texts: &mut Vec<Vec<String>>| -> Result<()> {
        let batch = index.invert(texts.iter().map(|texts| {
            let texts = texts.iter().map(String::as_str);
            names.iter().map(String::as_str).zip(texts)
        }));
        let end = next + texts.len() as u32;
        index.add_batch(&batch, &(next..end).map(Some).collect::<Vec<_>>())?;
        index.publish();
        // Full where it was woken and has not looked yet, closed where it failed.
        let _ = wake.try_send(());
        next = end;
        texts.clear();
        Ok(())
    };
    for_each_document(directory, |_, fields| {
        texts.push(fields.into_iter().map(str::to_owned).collect());
        if texts.len() == BATCH {
            add(&mut texts)?;
        }
        Ok(())
    })?;
    add(&mut texts)
}

impl Engine for Ours {
    fn build(directory: &Path, folder: &Path) -> Result<()> {
        let index = LexicalIndex::open(folder, LexicalOptions::default(), &BitSet::default());
        // As in the engine, and in the peers, another thread writes and merges segments.
        let (wake, woken) = mpsc::sync_channel(1);
        thread::scope(|scope| {
            let index = &index;
            let maintenance = scope.spawn(move || {
                for () in woken {
                    while index.needs_flush(MergePolicy::Leveled) {
                        index.maintain(MergePolicy::Leveled)?;
                    }
                }
                index.close()
            });
            let added = add_all(directory, index, &wake);
            drop(wake);
            maintenance.join().expect("maintenance does not panic")?;
            added
        })
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
            typing: Typing {
                prefix: match cell.prefix {
                    false => PrefixWords::None,
                    true => PrefixWords::Last,
                },
                typos: cell.typos.then(Typos::default),
                ..Typing::default()
            },
            ..LexicalQuery::default()
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
