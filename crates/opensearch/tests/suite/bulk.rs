//! The actions of a write: what is sent again, and what ends it.

use pelorus_opensearch::{ActionOutcome, Bulk};
use serde_json::{Value, json};

/// A bulk of actions, each a line of its own.
fn filled(mut bulk: Bulk, lines: &[&str]) -> Bulk {
    for line in lines {
        bulk.push(format!("{line}\n").into_bytes());
    }
    bulk
}

fn next(bulk: &mut Bulk) -> Option<String> {
    let body = bulk.next_body()?;
    Some(String::from_utf8(body).expect("lines are text"))
}

fn answer(items: &[Value]) -> Vec<u8> {
    json!({"items": items}).to_string().into_bytes()
}

fn stored(result: &str) -> Value {
    json!({"index": {"status": 200, "result": result}})
}

fn refused(status: u16, kind: &str) -> Value {
    json!({"index": {"status": status, "error": {"type": kind, "reason": "told"}}})
}

#[test]
fn actions_that_the_queue_refused_are_in_the_next_body_and_nothing_else() {
    let mut bulk = filled(Bulk::default(), &["a", "b", "c"]);
    assert_eq!(next(&mut bulk).as_deref(), Some("a\nb\nc\n"));
    let items = [
        stored("created"),
        refused(429, "opensearch_rejected_execution_exception"),
        refused(400, "mapper_parsing_exception"),
    ];
    let settled = bulk.take(&answer(&items)).expect("it is an answer");
    assert_eq!((settled.waiting, settled.failure), (1, None));
    assert_eq!(next(&mut bulk).as_deref(), Some("b\n"));
    let settled = bulk.take(&answer(&[stored("updated")]));
    assert_eq!(settled.expect("it is an answer").waiting, 0);
    assert_eq!(next(&mut bulk), None);
    assert_eq!(bulk.outcome(0), Some(&ActionOutcome::Created));
    assert_eq!(bulk.outcome(1), Some(&ActionOutcome::Updated));
    assert!(
        matches!(bulk.outcome(2), Some(ActionOutcome::Refused(refusal)) if refusal.status == 400)
    );
}

#[test]
fn a_body_that_got_no_answer_is_sent_again() {
    let mut bulk = filled(Bulk::default(), &["a", "b"]);
    assert_eq!(next(&mut bulk), next(&mut bulk));
}

#[test]
fn long_actions_have_bodies_of_their_own() {
    let long = "x".repeat(10 << 20);
    let mut bulk = filled(Bulk::default(), &[&long, &long, "a"]);
    for lines in [1, 2] {
        let body = next(&mut bulk).expect("something is left");
        assert_eq!(body.lines().count(), lines);
        let items = vec![stored("created"); lines];
        bulk.take(&answer(&items)).expect("it is an answer");
    }
    assert_eq!(next(&mut bulk), None);
}

#[test]
fn an_index_that_is_gone_or_blocked_ends_the_write() {
    for (status, kind) in [
        (404, "index_not_found_exception"),
        (429, "cluster_block_exception"),
    ] {
        let mut bulk = filled(Bulk::default(), &["a"]);
        next(&mut bulk);
        let settled = bulk
            .take(&answer(&[refused(status, kind)]))
            .expect("it is an answer");
        assert_eq!(
            settled.failure.map(|one| (one.status, one.kind)),
            Some((status, kind.to_owned()))
        );
    }
    let mut whole = filled(Bulk::whole(), &["a"]);
    next(&mut whole);
    let settled = whole.take(&answer(&[refused(503, "unavailable_shards_exception")]));
    assert!(settled.expect("it is an answer").failure.is_some());
}

#[test]
fn an_answer_to_something_else_is_refused() {
    let mut bulk = filled(Bulk::default(), &["a", "b"]);
    next(&mut bulk);
    assert!(bulk.take(&answer(&[stored("created")])).is_err());
    next(&mut bulk);
    assert!(bulk.take(b"{}").is_err());
}
