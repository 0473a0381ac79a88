//! All documents of an index on a cluster, page by page, at one point in time.

use pelorus_engine::Result;
use pelorus_engine::elsewhere::{SCAN_PAGE_BYTES, ScanPlan};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answer::unreadable;
use crate::facts::MappedIndex;
use crate::filter::index_filter;
use crate::layout::STORED;
use crate::source::StoredSource;

/// Documents that are asked for at once: those of a page may be large, and a page is bounded in bytes.
const BATCH: usize = 250;

/// A scan of an index on a cluster. Its caller sends the searches, all of which read one point in time.
pub struct ClusterScan {
    plan: ScanPlan,
    query: Value,
}

/// A page that is being read.
#[derive(Default)]
pub struct PageParts {
    body: Vec<u8>,
    count: usize,
    /// The sort values of the last document, as JSON.
    after: Option<String>,
}

/// The documents of one answer.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    hits: Hits<'a>,
}

#[derive(Deserialize)]
struct Hits<'a> {
    #[serde(borrow)]
    hits: Vec<Hit<'a>>,
}

#[derive(Deserialize)]
struct Hit<'a> {
    #[serde(rename = "_source")]
    source: StoredSource,
    #[serde(borrow)]
    sort: &'a RawValue,
}

impl ClusterScan {
    /// Begins a scan of an index. `options` is `EngineOptions` and `request` is `ScanRequest`, both JSON.
    ///
    /// # Errors
    /// `invalid_argument` for what cannot be read, and those of a filter.
    pub fn begin(index: &MappedIndex, options: &[u8], request: &[u8]) -> Result<Self> {
        let plan = ScanPlan::read(index.searched.clone(), options, request)?;
        let filter = plan.filter();
        let filter = filter.map(|filter| index_filter(&index.searched, filter));
        let query = match filter.transpose()? {
            Some(filter) => json!({"bool": {"filter": [filter]}}),
            None => json!({"match_all": {}}),
        };
        Ok(Self { plan, query })
    }

    /// The query of all documents that are read.
    pub fn query(&self) -> &Value {
        &self.query
    }

    /// The body of the search for the next documents of a page of `limit`, which begins behind the document with the sort
    /// values `start`; none where the page has as many as it may.
    pub fn request(
        &self,
        page: &PageParts,
        start: Option<&str>,
        limit: usize,
        point_in_time: &Value,
    ) -> Option<Value> {
        let size = limit.saturating_sub(page.count).min(BATCH);
        if size == 0 || page.body.len() >= SCAN_PAGE_BYTES {
            return None;
        }
        let mut body = json!({
            "size": size,
            "pit": point_in_time,
            "query": self.query,
            // The order of the shards' own numbers, in which nothing has to be sorted.
            "sort": [{"_shard_doc": "asc"}],
            "track_total_hits": false,
            "_source": match self.plan.shows_tensors() {
                true => json!({"excludes": ["words", "values"]}),
                false => json!([STORED]),
            },
        });
        let after = page.after.as_deref().or(start);
        if let Some(after) = after.and_then(|after| serde_json::from_str::<Value>(after).ok()) {
            body["search_after"] = after;
        }
        Some(body)
    }

    /// Takes the answer to a request into the page. Tells whether it may have more documents.
    ///
    /// # Errors
    /// `backend_data_parsing_error` for documents that are none of ours.
    pub fn take(&self, page: &mut PageParts, answer: &[u8]) -> Result<bool> {
        let answer: Answer<'_> = serde_json::from_slice(answer).map_err(|_| unreadable())?;
        let hits = answer.hits.hits;
        let is_last = hits.is_empty();
        for Hit { source, sort } in hits {
            if page.count > 0 && page.body.len() >= SCAN_PAGE_BYTES {
                break;
            }
            if page.count > 0 {
                page.body.push(b',');
            }
            let stored = source.document().map_err(|_| unreadable())?;
            let tensors = match self.plan.shows_tensors() {
                true => source.tensors(self.plan.dimensions()),
                false => Ok(Vec::new()),
            };
            let tensors = tensors.map_err(|_| unreadable())?;
            self.plan.write(&mut page.body, &stored, &tensors)?;
            page.count += 1;
            page.after = Some(sort.get().to_owned());
        }
        Ok(!is_last)
    }
}

impl PageParts {
    /// The number of documents.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The page as it is answered, `{"documents": [..]}`, and the sort values of its last document.
    pub fn finish(self) -> (Vec<u8>, Option<String>) {
        let mut body = b"{\"documents\":[".to_vec();
        body.extend_from_slice(&self.body);
        body.extend_from_slice(b"]}");
        (body, self.after)
    }
}
