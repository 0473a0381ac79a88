//! The actions of a write: what is sent again, and what ends it.

use pelorus_opensearch::{ActionOutcome, Bulk};
use serde_json::{Value, json};

/// A bulk that deletes documents.
fn filled(mut bulk: Bulk, ids: &[&str]) -> Bulk {
    for id in ids {
        bulk.push(format!("{{\"delete\":{{\"_id\":\"{id}\"}}}}\n").into_bytes());
    }
    bulk
}

/// The ids and versions of the next body.
fn versions(bulk: &mut Bulk) -> Option<Vec<(String, u64)>> {
    let body = String::from_utf8(bulk.next_body()?).expect("lines are text");
    let heads = body.lines().map(|line| {
        let head: Value = serde_json::from_str(line).expect("a head is JSON");
        let target = &head["delete"];
        assert_eq!(target["version_type"], "external");
        let id = target["_id"].as_str().expect("an id is a text").to_owned();
        (
            id,
            target["version"].as_u64().expect("a version is a number"),
        )
    });
    Some(heads.collect())
}

fn next(bulk: &mut Bulk) -> Option<String> {
    let ids = versions(bulk)?.into_iter().map(|(id, _)| id);
    Some(ids.collect::<Vec<_>>().join(" "))
}

fn conflict(current: u64) -> Value {
    let reason = format!(
        "[a]: version conflict, current version [{current}] is higher or equal to the one provided [0]"
    );
    let error = json!({"type": "version_conflict_engine_exception", "reason": reason});
    json!({"delete": {"status": 409, "error": error}})
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
    assert_eq!(next(&mut bulk).as_deref(), Some("a b c"));
    let items = [
        stored("created"),
        refused(429, "opensearch_rejected_execution_exception"),
        refused(400, "mapper_parsing_exception"),
    ];
    let settled = bulk.take(&answer(&items)).expect("it is an answer");
    assert_eq!((settled.waiting, settled.failure), (1, None));
    assert_eq!(next(&mut bulk).as_deref(), Some("b"));
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
    assert_eq!(versions(&mut bulk), versions(&mut bulk));
}

#[test]
fn an_action_whose_node_went_away_is_sent_again_a_few_times() {
    let mut bulk = filled(Bulk::whole(), &["a"]);
    let away = refused(500, "node_disconnected_exception");
    let mut sent = 0;
    let failure = loop {
        next(&mut bulk).expect("it is not settled");
        sent += 1;
        let settled = bulk.take(&answer(std::slice::from_ref(&away)));
        if let Some(failure) = settled.expect("it is an answer").failure {
            break failure;
        }
    };
    assert_eq!((sent, failure.status), (5, 503));
}

#[test]
fn an_action_that_was_carried_out_before_is_done() {
    let mut bulk = filled(Bulk::whole(), &["a"]);
    let version = versions(&mut bulk).expect("it is not settled")[0].1;
    let settled = bulk.take(&answer(&[conflict(version)]));
    assert_eq!(settled.expect("it is an answer").failure, None);
    assert_eq!(bulk.outcome(0), Some(&ActionOutcome::Deleted));
}

#[test]
fn an_action_after_one_with_a_later_version_gets_a_still_later_one() {
    let mut bulk = filled(Bulk::default(), &["a"]);
    let version = versions(&mut bulk).expect("it is not settled")[0].1;
    let ahead = version + (1 << 40);
    let settled = bulk.take(&answer(&[conflict(ahead)]));
    assert_eq!(settled.expect("it is an answer").waiting, 1);
    assert!(versions(&mut bulk).expect("it is not settled")[0].1 > ahead);
}

#[test]
fn long_actions_have_bodies_of_their_own() {
    let long = "x".repeat(10 << 20);
    let mut bulk = filled(Bulk::default(), &[&long, &long, "a"]);
    for lines in [1, 2] {
        let body = next(&mut bulk).expect("something is left");
        assert_eq!(body.split(' ').count(), lines);
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
