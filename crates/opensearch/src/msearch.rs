//! Several searches as the body of one request, and their answers.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::refusal::Refusal;
use crate::search::Request;

/// The circumstances of some searches.
#[derive(Debug, Clone, Default)]
pub struct Sending<'a> {
    /// After so many milliseconds nobody waits any more; none for as long as it takes.
    pub timeout_ms: Option<u64>,
    /// The point in time that is searched, and for how long it is kept from then on.
    pub point_in_time: Option<(&'a str, &'a str)>,
    /// Searches of one preference are answered by the same copies, as long as these are there: equal scores keep their
    /// order from page to page.
    pub preference: &'a str,
    /// The times that the search was given up before, as a copy did not answer: each has a preference of its own.
    pub attempt: u32,
}

/// The answers to some searches.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// One of each search, in order.
    Whole(Vec<Value>),
    /// The first search that was refused, or answered in part alone.
    Refused(Refusal),
}

/// Writes searches as lines, a head and a body for each.
pub fn write_searches(requests: Vec<Request>, sending: &Sending<'_>) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut write = |line: &Value| {
        serde_json::to_writer(&mut lines, line).expect("JSON serialises into memory");
        lines.push(b'\n');
    };
    for Request { mut body, dfs } in requests {
        let mut head = json!({"allow_partial_search_results": false});
        if dfs {
            head["search_type"] = json!("dfs_query_then_fetch");
        }
        match sending.point_in_time {
            Some((id, keep_alive)) => body["pit"] = json!({"id": id, "keep_alive": keep_alive}),
            None => head["preference"] = json!(sending.preference),
        }
        if let Some(timeout_ms) = sending.timeout_ms {
            body["timeout"] = json!(format!("{timeout_ms}ms"));
        }
        write(&head);
        write(&body);
    }
    lines
}

#[derive(Deserialize)]
struct Responses {
    responses: Vec<Value>,
}

/// Reads the answer to `count` searches; none where it is no such answer.
pub fn read_answers(answer: &[u8], count: usize) -> Option<Answers> {
    let Responses { responses } = serde_json::from_slice(answer).ok()?;
    if responses.len() != count {
        return None;
    }
    let refused = responses.iter().find_map(refusal);
    Some(match refused {
        Some(refusal) => Answers::Refused(refusal),
        None => Answers::Whole(responses),
    })
}

fn refusal(answer: &Value) -> Option<Refusal> {
    let refusal = |status, kind: &str, reason: &str| {
        Some(Refusal::new(status, kind.to_owned(), reason.to_owned()))
    };
    if let Some(error) = answer.get("error") {
        let status = answer["status"]
            .as_u64()
            .and_then(|one| one.try_into().ok());
        // A search fails as a whole for what a shard said.
        let cause = error["root_cause"][0]
            .as_object()
            .map_or(error, |_| &error["root_cause"][0]);
        let kind = cause["type"].as_str().unwrap_or_default();
        let reason = cause["reason"].as_str().unwrap_or_default();
        return refusal(status.unwrap_or(500), kind, reason);
    }
    if answer["timed_out"] == true {
        return refusal(504, "timed_out", "the search ran out of time");
    }
    match answer["_shards"]["failed"].as_u64() {
        None | Some(0) => None,
        Some(failed) => {
            let reason = format!("{failed} shards of the index did not answer");
            refusal(503, "partial_answer", &reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(responses: Value) -> Option<Answers> {
        let count = responses.as_array().map_or(0, Vec::len);
        read_answers(
            json!({"responses": responses}).to_string().as_bytes(),
            count,
        )
    }

    #[test]
    fn a_search_that_is_refused_tells_why() {
        let cause = json!({"type": "rejected_execution_exception", "reason": "queue is full"});
        let error = json!({"type": "search_phase_execution_exception", "reason": "all shards failed",
                           "root_cause": [cause]});
        let whole = json!({"_shards": {"failed": 0}, "hits": {}});
        let Some(Answers::Refused(refusal)) = read(json!([whole, {"error": error, "status": 429}]))
        else {
            panic!("one was refused");
        };
        assert_eq!(
            (refusal.status, &*refusal.kind),
            (429, "rejected_execution_exception")
        );
        assert_eq!(refusal.reason, "queue is full");
        assert_eq!(read(json!([whole])), Some(Answers::Whole(vec![whole])));
    }

    #[test]
    fn a_part_of_an_answer_is_none() {
        let status = |answer: Value| match read(json!([answer])) {
            Some(Answers::Refused(refusal)) => refusal.status,
            answers => panic!("{answers:?}"),
        };
        assert_eq!(
            status(json!({"timed_out": true, "_shards": {"failed": 0}})),
            504
        );
        assert_eq!(
            status(json!({"timed_out": false, "_shards": {"failed": 1}})),
            503
        );
        assert_eq!(read_answers(b"{\"responses\": []}", 1), None);
        assert_eq!(read_answers(b"not JSON", 1), None);
    }

    #[test]
    fn searches_are_lines_with_what_they_are_sent_with() {
        let request = |dfs| Request {
            body: json!({"size": 1}),
            dfs,
        };
        let sending = Sending {
            timeout_ms: Some(20),
            point_in_time: None,
            preference: "p",
            attempt: 0,
        };
        let lines = |requests, sending: &Sending<'_>| -> Vec<Value> {
            let body = String::from_utf8(write_searches(requests, sending)).expect("it is a text");
            body.lines()
                .map(|line| serde_json::from_str(line).expect("lines are JSON"))
                .collect()
        };
        let written = lines(vec![request(false), request(true)], &sending);
        assert_eq!(written.len(), 4);
        assert_eq!(
            written[0],
            json!({"allow_partial_search_results": false, "preference": "p"})
        );
        assert_eq!(written[1], json!({"size": 1, "timeout": "20ms"}));
        assert_eq!(written[2]["search_type"], "dfs_query_then_fetch");
        let kept = Sending {
            point_in_time: Some(("id", "5m")),
            ..Sending::default()
        };
        let written = lines(vec![request(false)], &kept);
        assert_eq!(written[0], json!({"allow_partial_search_results": false}));
        assert_eq!(written[1]["pit"], json!({"id": "id", "keep_alive": "5m"}));
    }
}
