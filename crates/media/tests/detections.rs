//! Against OpenCV and numpy: `oracle/detections.py` makes up what detectors say, and the boxes of that.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod oracle;

use std::fs;

use pelorus_media::{
    AttentionMaps, Detection, Size, attention_detections, select, yolox_detections, yolox_tensor,
};

#[test]
fn boxes_are_those_of_the_originals() {
    let folder = oracle::detections();
    let cases = fs::read_to_string(folder.path().join("cases.tsv")).unwrap();
    let mut boxes = 0;
    for case in cases.lines() {
        let fields: Vec<&str> = case.split('\t').collect();
        let read =
            |extension| fs::read(folder.path().join(fields[1]).with_extension(extension)).unwrap();
        let number = |at: usize| fields[at].parse::<u32>().unwrap();
        let (received, tolerance) = match fields[0] {
            "attention" => {
                let maps = match fields[3] {
                    "v1" => AttentionMaps::Mean,
                    _ => AttentionMaps::EachHead,
                };
                let mut found = attention_detections(&floats(&read("in")), maps).unwrap();
                found.sort_by(|a, b| a.bounds.partial_cmp(&b.bounds).unwrap());
                (rows(&found), 1e-6)
            }
            "selected" => {
                let given = floats(&read("in"));
                let given = given.as_chunks::<5>().0.iter();
                let detections = given.map(|&[left, top, right, bottom, score]| Detection {
                    bounds: [left, top, right, bottom],
                    score,
                });
                (rows(&select(detections.collect())), 0.0)
            }
            "yolox" => {
                let channels = 5 + number(2) as usize;
                let size = Size::new(number(3), number(4));
                let found = yolox_detections(&floats(&read("in")), channels, size).unwrap();
                (rows(&found), 1e-2)
            }
            // OpenCV rounds its weights to eleven bits.
            "letterbox" => (
                yolox_tensor(&read("in"), Size::new(number(2), number(3))),
                1.0,
            ),
            other => panic!("{other}"),
        };
        let expected = floats(&read("out"));
        assert_eq!(received.len(), expected.len(), "{case}");
        boxes += expected.len() / 5;
        for (at, (a, b)) in received.iter().zip(&expected).enumerate() {
            assert!(
                (a - b).abs() <= tolerance,
                "{case}: value {at}: {a}, expected {b}"
            );
        }
    }
    assert!(boxes > 2000, "{boxes} boxes");
}

fn rows(detections: &[Detection]) -> Vec<f32> {
    let row = |one: &Detection| [&one.bounds[..], &[one.score]].concat();
    detections.iter().flat_map(row).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|&word| f32::from_le_bytes(word)).collect()
}
