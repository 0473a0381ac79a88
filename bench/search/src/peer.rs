use std::path::Path;

use tantivy::collector::{Count, TopDocs};
use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    FAST, Field, IndexRecordOption, Schema, TEXT, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, ReloadPolicy, Searcher, TantivyDocument, Term};

use crate::Result;
use crate::command::Cell;
use crate::corpus::{field_names, for_each_document};
use crate::serve::Engine;

/// tantivy as it is by default: a field of its own for each of ours, its own merging.
pub struct Tantivy {
    searcher: Searcher,
    fields: Vec<(String, Field)>,
    mark: Field,
    /// The column of each segment.
    numbers: Vec<Column<u64>>,
}

const NUMBER: &str = "number";
const MARK: &str = "mark";
/// Memory of the writer, as its documentation has it.
const WRITER_BYTES: usize = 256 * 1024 * 1024;

impl Engine for Tantivy {
    fn build(directory: &Path, folder: &Path) -> Result<()> {
        let mut builder = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("default")
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let options = TextOptions::default().set_indexing_options(indexing);
        let fields: Vec<Field> = field_names(directory)?
            .iter()
            .map(|name| builder.add_text_field(name, options.clone()))
            .collect();
        let mark = builder.add_text_field(MARK, TEXT);
        let number = builder.add_u64_field(NUMBER, FAST);
        let index = Index::create_in_dir(folder, builder.build())?;
        let mut writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        let mut count = 0;
        for_each_document(directory, |marks, texts| {
            let mut document = TantivyDocument::new();
            for (field, text) in fields.iter().zip(texts) {
                document.add_text(*field, text);
            }
            document.add_text(mark, marks);
            document.add_u64(number, count);
            count += 1;
            writer.add_document(document)?;
            Ok(())
        })?;
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(())
    }

    fn open(directory: &Path, folder: &Path) -> Result<Self> {
        let index = Index::open_in_dir(folder)?;
        let schema = index.schema();
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let field = |name: String| Ok((name.clone(), schema.get_field(&name)?));
        let searcher = reader.try_into()?.searcher();
        let segments = searcher.segment_readers().iter();
        let numbers = segments.map(|segment| segment.fast_fields().u64(NUMBER));
        Ok(Tantivy {
            numbers: numbers.collect::<tantivy::Result<_>>()?,
            searcher,
            fields: field_names(directory)?
                .into_iter()
                .map(field)
                .collect::<Result<_>>()?,
            mark: schema.get_field(MARK)?,
        })
    }

    fn search(
        &mut self,
        cell: &Cell,
        words: &[String],
        k: usize,
    ) -> Result<(Vec<u32>, Option<u64>)> {
        if cell.prefix || cell.typos {
            return Err("tantivy searches for words in full alone here".into());
        }
        let query = self.query(cell, words);
        let top = TopDocs::with_limit(k).order_by_score();
        let (hits, total) = match cell.total {
            false => (self.searcher.search(&*query, &top)?, None),
            true => {
                let (hits, total) = self.searcher.search(&*query, &(top, Count))?;
                (hits, Some(total as u64))
            }
        };
        let number = |address: tantivy::DocAddress| -> Result<u32> {
            let column = &self.numbers[address.segment_ord as usize];
            let number = column.first(address.doc_id);
            Ok(u32::try_from(number.ok_or("a document lacks its number")?)?)
        };
        let hits = hits.into_iter().map(|(_, address)| number(address));
        Ok((hits.collect::<Result<_>>()?, total))
    }
}

impl Tantivy {
    fn query(&self, cell: &Cell, words: &[String]) -> Box<dyn Query> {
        let is_searched = |name: &String| {
            cell.fields
                .as_ref()
                .is_none_or(|fields| fields.contains(name))
        };
        let fields = self.fields.iter().filter(|(name, _)| is_searched(name));
        let fields: Vec<Field> = fields.map(|(_, field)| *field).collect();
        let in_field = |word: &String, field: Field| -> Box<dyn Query> {
            let term = Term::from_field_text(field, word);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
        };
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for word in words {
            let mut alternatives: Vec<(Occur, Box<dyn Query>)> = Vec::new();
            for &field in &fields {
                alternatives.push((Occur::Should, in_field(word, field)));
            }
            match (cell.required, alternatives.len()) {
                (false, _) => clauses.append(&mut alternatives),
                (true, 1) => clauses.push((Occur::Must, alternatives.remove(0).1)),
                (true, _) => clauses.push((Occur::Must, Box::new(BooleanQuery::new(alternatives)))),
            }
        }
        let query: Box<dyn Query> = match clauses.len() {
            1 => clauses.remove(0).1,
            _ => Box::new(BooleanQuery::new(clauses)),
        };
        match &cell.mark {
            None => query,
            Some(mark) => {
                let term = Term::from_field_text(self.mark, mark);
                let filter = TermQuery::new(term, IndexRecordOption::Basic);
                let filter = ConstScoreQuery::new(Box::new(filter), 0.0);
                Box::new(BooleanQuery::new(vec![
                    (Occur::Must, query),
                    (Occur::Must, Box::new(filter)),
                ]))
            }
        }
    }
}
