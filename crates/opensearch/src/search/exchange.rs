//! A search as the bytes that are exchanged for it.

use pelorus_engine::{Result, SearchError};
use pelorus_random::fnv1a;
use serde_json::Value;

use super::{ClusterRanking, ClusterSearch, Step};
use crate::msearch::{Answers, Sending, read_answers, write_searches};
use crate::refusal::Refusal;

/// The next thing that a search asks of whoever speaks with the cluster.
pub enum Exchange {
    /// To send these bytes to `_msearch`, and to bring the answer.
    Send(Vec<u8>),
    /// Nothing: this is the body.
    Done(Vec<u8>),
    /// Nothing: this is the ranking of all pages.
    Ranked(ClusterRanking),
    /// Nothing: the cluster has refused a search.
    Refused(Refusal),
}

impl ClusterSearch {
    /// Goes on with the answer to the bytes that were sent last, if any were.
    ///
    /// # Errors
    /// Those of a search, and one for an answer that is none.
    pub fn exchange(&mut self, answer: &[u8], sending: Sending<'_>) -> Result<Exchange> {
        let answers: Vec<Value> = match self.asked.len() {
            0 => Vec::new(),
            count => match read_answers(answer, count) {
                Some(Answers::Whole(answers)) => answers,
                Some(Answers::Refused(refusal)) => return Ok(Exchange::Refused(refusal)),
                None => return Err(SearchError::ClusterAnswer("searches that can be read").into()),
            },
        };
        Ok(match self.step(&answers)? {
            Step::Done(body) => Exchange::Done(body),
            Step::Ranked(ranking) => Exchange::Ranked(ranking),
            Step::Send(requests) => {
                let preference = self.preference(sending.attempt);
                let preference = &*preference;
                Exchange::Send(write_searches(
                    requests,
                    &Sending {
                        preference,
                        ..sending
                    },
                ))
            }
        })
    }

    /// The same for every page of a search, as long as its copies answer.
    fn preference(&self, attempt: u32) -> String {
        let mut bytes = Vec::new();
        if let Some((_, vector)) = self.search.tensor_leg() {
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        }
        let words = self.search.lexical_leg().map(|leg| leg.text.as_bytes());
        bytes.extend(words.unwrap_or_default());
        if let Some(sparse) = &self.sparse {
            bytes.extend(sparse.bytes());
        }
        if attempt > 0 {
            bytes.extend(attempt.to_le_bytes());
        }
        // The cluster reads names that begin with an underscore in its own way.
        format!("p{:016x}", fnv1a(&bytes))
    }
}
