//! The threads that compute the texts of calls.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::support::{Spelling, VOCABULARY, WIDTH, export, weights};
use pelorus_cancellation::Cancellation;
use pelorus_encoder::{
    Call, CallError, CallLane, EncoderThreads, FailedRow, PassPolicy, Pooling, Precision, Scratch,
    TextEncoder, Texts, Vectors, open,
};

const POLICY: PassPolicy = PassPolicy {
    tokens_max: 30,
    texts_max: usize::MAX,
    split_tokens_min: 10,
    query_run_max: 4,
};

fn encoder(seed: u64) -> Arc<TextEncoder> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, export(&weights(seed, 1), Spelling::Steps).bytes())
        .expect("a file can be written");
    open(&path, Precision::F32).expect("the encoder is known")
}

/// Texts of so many tokens, all different for different `seed`s.
fn texts(seed: usize, lengths: &[usize]) -> Vec<Vec<i32>> {
    let all = lengths.iter().enumerate();
    all.map(|(text, &length)| {
        (0..length)
            .map(|at| ((seed * 13 + text * 7 + at * 3) % VOCABULARY) as i32)
            .collect()
    })
    .collect()
}

fn call(encoder: &Arc<TextEncoder>, lane: CallLane, texts: &[Vec<i32>]) -> Call {
    let mut offsets = vec![0];
    offsets.extend(texts.iter().scan(0, |end, text| {
        *end += text.len() as u32;
        Some(*end)
    }));
    Call {
        encoder: Arc::clone(encoder).into(),
        ids: texts.concat(),
        offsets,
        failures: Vec::new(),
        pooling: Pooling::Mean,
        is_normalized: false,
        lane,
        cancellation: Cancellation::never(),
        done: Box::new(|_| ()),
    }
}

type Outcome = Result<Vectors, CallError>;

fn submit(threads: &EncoderThreads, mut call: Call) -> Receiver<Outcome> {
    let (told, outcome) = channel();
    call.done = Box::new(move |outcome| told.send(outcome).expect("the test waits"));
    threads.submit(call);
    outcome
}

fn vectors(outcome: &Receiver<Outcome>) -> Vec<f32> {
    let vectors = outcome.recv().expect("it is told").expect("it succeeds");
    assert_eq!(vectors.failures, []);
    vectors.values
}

fn alone(encoder: &TextEncoder, text: &[i32], pooling: Pooling) -> Vec<f32> {
    let texts = Texts {
        ids: text,
        lengths: &[text.len() as u32],
    };
    encoder
        .encode(texts, pooling, &mut Scratch::default())
        .expect("the text can be taken")
}

/// Keeps the only thread from its next pass until the answer is dropped.
fn held(threads: &EncoderThreads, encoder: &Arc<TextEncoder>) -> Sender<()> {
    let (release, wait) = channel::<()>();
    let (begun, is_begun) = channel();
    let mut holding = call(encoder, CallLane::Query, &texts(999, &[1]));
    holding.done = Box::new(move |_| {
        begun.send(()).expect("the test waits");
        assert!(wait.recv().is_err());
    });
    threads.submit(holding);
    is_begun.recv().expect("it begins");
    release
}

#[test]
fn give_each_text_the_bits_that_it_has_alone_however_many_threads_and_calls_there_are() {
    let encoder = encoder(1);
    for count in [1, 3] {
        let threads = EncoderThreads::new(count, POLICY);
        let calls: Vec<_> = (0..20)
            .map(|seed| texts(seed, &[3, 20, 1, 7, 12, 5]))
            .collect();
        let lanes = [CallLane::Document, CallLane::Query];
        let answers: Vec<_> = calls
            .iter()
            .zip(lanes.into_iter().cycle())
            .map(|(texts, lane)| submit(&threads, call(&encoder, lane, texts)))
            .collect();
        for (texts, answer) in calls.iter().zip(answers) {
            let expected: Vec<f32> = texts
                .iter()
                .flat_map(|text| alone(&encoder, text, Pooling::Mean))
                .collect();
            assert_eq!(vectors(&answer), expected);
        }
    }
}

#[test]
fn pool_and_normalise_as_a_call_asks() {
    let encoder = encoder(2);
    let threads = EncoderThreads::new(1, POLICY);
    let release = held(&threads, &encoder);
    let texts = texts(1, &[5, 9]);
    let mut first = call(&encoder, CallLane::Document, &texts);
    first.pooling = Pooling::Cls;
    let mut unit = call(&encoder, CallLane::Document, &texts);
    unit.is_normalized = true;
    let (first, unit) = (submit(&threads, first), submit(&threads, unit));
    drop(release);
    let expected: Vec<f32> = texts
        .iter()
        .flat_map(|text| alone(&encoder, text, Pooling::Cls))
        .collect();
    assert_eq!(vectors(&first), expected);
    for row in vectors(&unit).chunks_exact(WIDTH) {
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-6);
    }
}

#[test]
fn compute_queries_before_documents_and_documents_after_a_run_of_queries() {
    let (encoder, other) = (encoder(3), encoder(4));
    let threads = EncoderThreads::new(1, POLICY);
    let release = held(&threads, &encoder);
    let (told, order) = channel();
    let add = |name: usize, encoder, lane| {
        // Each fills a pass.
        let mut call = call(encoder, lane, &texts(name, &[20, 10]));
        let told = told.clone();
        call.done = Box::new(move |_| told.send(name).expect("the test waits"));
        threads.submit(call);
    };
    add(100, &encoder, CallLane::Document);
    add(101, &other, CallLane::Document);
    for name in 0..8 {
        add(
            name,
            if name % 2 == 0 { &encoder } else { &other },
            CallLane::Query,
        );
    }
    drop((release, told));
    // The held pass was the first of the run.
    let order: Vec<usize> = order.iter().take(10).collect();
    assert_eq!(order, [0, 1, 2, 100, 3, 4, 5, 6, 101, 7]);
}

#[test]
fn compute_equal_texts_once_within_a_call_and_among_those_that_wait() {
    let encoder = encoder(5);
    let threads = EncoderThreads::new(1, POLICY);
    let release = held(&threads, &encoder);
    let before = threads.counts();
    let texts = texts(1, &[4, 6]);
    let twice = [texts[0].clone(), texts[1].clone(), texts[0].clone()];
    let first = submit(&threads, call(&encoder, CallLane::Document, &twice));
    let second = submit(&threads, call(&encoder, CallLane::Document, &texts[1..]));
    assert_eq!(threads.waiting(), 2);
    drop(release);
    let (first, second) = (vectors(&first), vectors(&second));
    assert_eq!(first[..WIDTH], first[2 * WIDTH..]);
    assert_eq!(first[WIDTH..2 * WIDTH], second);
    assert_eq!(second, alone(&encoder, &texts[1], Pooling::Mean));
    let after = threads.counts();
    assert_eq!(after.texts - before.texts, 2);
    assert_eq!(after.tokens - before.tokens, 4 + 6);
    assert_eq!(threads.waiting(), 0);
}

#[test]
fn keep_passes_within_their_bounds_and_even() {
    let encoder = encoder(6);
    for (policy, passes) in [
        (POLICY, 4),
        (
            PassPolicy {
                texts_max: 2,
                ..POLICY
            },
            5,
        ),
        (
            PassPolicy {
                tokens_max: 1,
                ..POLICY
            },
            10,
        ),
    ] {
        let threads = EncoderThreads::new(1, policy);
        let release = held(&threads, &encoder);
        let before = threads.counts().passes;
        let waiting = submit(
            &threads,
            call(&encoder, CallLane::Document, &texts(1, &[10; 10])),
        );
        drop(release);
        vectors(&waiting);
        assert_eq!(threads.counts().passes - before, passes, "{policy:?}");
    }
}

#[test]
fn divide_a_call_among_idle_threads() {
    let encoder = encoder(7);
    let threads = EncoderThreads::new(3, POLICY);
    vectors(&submit(
        &threads,
        call(&encoder, CallLane::Document, &texts(1, &[10, 9, 8])),
    ));
    assert!(
        threads.counts().passes >= 2,
        "one thread took it all although others were idle"
    );
}

#[test]
fn fail_a_text_that_cannot_be_taken_alone() {
    let encoder = encoder(8);
    let threads = EncoderThreads::new(2, POLICY);
    let mut all = texts(1, &[4, 5, 6, 3]);
    all[1][2] = VOCABULARY as i32;
    all[3].clear();
    let mut wanted = call(&encoder, CallLane::Query, &all);
    wanted.failures = vec![FailedRow {
        row: 3,
        message: "it has no tokens".into(),
    }];
    let found = submit(&threads, wanted).recv().expect("it is told");
    let found = found.expect("it succeeds");
    let message = format!("its graph has embeddings for ids below {VOCABULARY}");
    let rows: Vec<u32> = found.failures.iter().map(|failure| failure.row).collect();
    assert_eq!(rows, [1, 3]);
    assert!(found.failures[0].message.starts_with(&message));
    for (row, text) in all.iter().enumerate() {
        let expected = if rows.contains(&(row as u32)) {
            vec![0.0; WIDTH]
        } else {
            alone(&encoder, text, Pooling::Mean)
        };
        assert_eq!(found.values[row * WIDTH..][..WIDTH], expected);
    }
}

#[test]
fn fail_a_text_whose_vector_is_no_number() {
    let mut broken = weights(9, 1);
    // Their sum is beyond all floats.
    broken.words[7 * WIDTH..8 * WIDTH].fill(f32::MAX);
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, export(&broken, Spelling::Steps).bytes()).expect("a file can be written");
    let encoder = open(&path, Precision::F32).expect("the encoder is known");
    let threads = EncoderThreads::new(1, POLICY);
    let answer = submit(
        &threads,
        call(&encoder, CallLane::Query, &[vec![3], vec![7]]),
    );
    let found = answer.recv().expect("it is told").expect("it succeeds");
    let message = "its vector holds what is not a finite number".into();
    assert_eq!(found.failures, [FailedRow { row: 1, message }]);
    assert_eq!(found.values[WIDTH..], [0.0; WIDTH]);
}

#[test]
fn compute_nothing_for_a_call_that_is_cancelled_and_all_for_those_who_share_its_texts() {
    let encoder = encoder(10);
    let threads = EncoderThreads::new(1, POLICY);
    let release = held(&threads, &encoder);
    let before = threads.counts().texts;
    let all = texts(1, &[5, 6, 7]);
    let cancellation = Cancellation::new(None);
    let mut given_up = call(&encoder, CallLane::Document, &all);
    given_up.cancellation = cancellation.clone();
    let given_up = submit(&threads, given_up);
    let kept = submit(&threads, call(&encoder, CallLane::Document, &all[1..2]));
    cancellation.cancel();
    drop(release);
    assert_eq!(vectors(&kept), alone(&encoder, &all[1], Pooling::Mean));
    let outcome = given_up.recv().expect("it is told");
    assert_eq!(outcome.expect_err("it was cancelled"), CallError::Cancelled);
    assert_eq!(threads.counts().texts - before, 1);
}

#[test]
fn answer_a_call_without_texts_at_once() {
    let threads = EncoderThreads::new(1, POLICY);
    let encoder = encoder(11);
    assert!(vectors(&submit(&threads, call(&encoder, CallLane::Query, &[]))).is_empty());
}

#[test]
fn once_closed_fail_what_waits_and_what_comes_and_end_what_runs() {
    let encoder = encoder(12);
    let threads = EncoderThreads::new(1, POLICY);
    let release = held(&threads, &encoder);
    let waiting = submit(
        &threads,
        call(&encoder, CallLane::Document, &texts(1, &[3])),
    );
    threads.close();
    let late = submit(&threads, call(&encoder, CallLane::Query, &texts(2, &[3])));
    for outcome in [waiting, late] {
        let outcome = outcome.recv().expect("it is told");
        assert_eq!(outcome.expect_err("it is over"), CallError::Closed);
    }
    drop(release);
    threads.join();
}

#[test]
fn let_go_of_an_encoder_that_nobody_uses() {
    let encoder = encoder(13);
    let threads = EncoderThreads::new(1, POLICY);
    vectors(&submit(
        &threads,
        call(&encoder, CallLane::Query, &texts(1, &[3])),
    ));
    threads.close();
    threads.join();
    assert_eq!(Arc::strong_count(&encoder), 1);
}
