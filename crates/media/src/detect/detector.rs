//! The detectors that patch methods ask: the input of each graph, and the meaning of its outputs.

use super::attention::{AttentionMaps, CELLS, attention_detections};
use super::yolox::{SIDE, yolox_detections, yolox_tensor};
use super::{Detection, select};
use crate::error::{Error, Result};
use crate::patches::{SQUARE, SQUARE_SIDE, squared};
use crate::picture::Picture;
use crate::preprocess::{Preprocessing, Resampling, Sizing};
use crate::resize::Filter;

/// Pixels of DINO's picture.
const DINO_SIDE: u32 = 224;
/// Tokens of DINO's last layer: that of the class, and one for each cell.
const DINO_TOKENS: usize = CELLS + 1;
/// Parts that Faster R-CNN is less sure of are none.
const RCNN_SCORE_MIN: f32 = 1e-4;

/// The network that finds the parts of a picture that become patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detector {
    /// Faster R-CNN as torchvision exports it: resizing, normalising and the suppression of overlaps are in the graph.
    FasterRcnn,
    /// YOLOX, whose grids are not decoded by the graph.
    Yolox,
    /// DINO ViT-S/16, of which the attention of the last layer counts.
    Dino(AttentionMaps),
}

/// An output of a graph.
#[derive(Debug, Clone, Copy)]
pub struct GraphOutput<'a> {
    /// Row-major.
    pub values: &'a [f32],
    pub dims: &'a [u32],
}

impl Detector {
    /// Channels, height and width of what its graph takes.
    pub const fn shape(self) -> [u32; 3] {
        let side = match self {
            Detector::FasterRcnn => SQUARE_SIDE,
            Detector::Yolox => SIDE,
            Detector::Dino(_) => DINO_SIDE,
        };
        [3, side, side]
    }

    /// The input of its graph for a picture, of [`shape`](Self::shape), row-major. All of them look at the picture as
    /// [`squared`] makes it.
    ///
    /// # Errors
    /// None of a picture that was decoded; those of [`Preprocessing::tensor`].
    pub fn tensor(self, picture: &Picture) -> Result<Vec<f32>> {
        let square = squared(picture);
        let plain = |side, mean, std| Preprocessing {
            side,
            sizing: Sizing::Squash,
            resampling: Resampling::Pillow(Filter::Bilinear),
            mean,
            std,
        };
        match self {
            Detector::Yolox => Ok(yolox_tensor(&square.into_rgb_bytes(), SQUARE)),
            Detector::FasterRcnn => {
                let unscaled = plain(SQUARE_SIDE, [0.0; 3], [1.0; 3]);
                Ok(unscaled.tensor(&square)?.values)
            }
            Detector::Dino(_) => {
                let imagenet = plain(DINO_SIDE, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
                Ok(imagenet.tensor(&square)?.values)
            }
        }
    }

    /// The parts that become patches, best first, in pixels of the [`squared`] picture, of the outputs of the graph for one
    /// picture. They are told by their shapes, in any order. Axes of 1 may stand before:
    ///
    /// - [`FasterRcnn`](Self::FasterRcnn): `[parts, 4]`, left, top, right and bottom; `[parts]`, the scores
    /// - [`Yolox`](Self::Yolox): `[3024, 5 + classes]`
    /// - [`Dino`](Self::Dino): `[heads, 197, 197]`, the attention, or `[heads, 196]` or `[heads, 14, 14]`, that of the class
    ///   token to the cells
    ///
    /// # Errors
    /// [`Error::DetectorOutput`] when none has that shape.
    pub fn detections(self, outputs: &[GraphOutput<'_>]) -> Result<Vec<Detection>> {
        let found = match self {
            Detector::FasterRcnn => rcnn_detections(outputs)?,
            Detector::Yolox => {
                let grids = first_of(outputs, "[3024, 5 and more]", |dims| dims.len() == 2)?;
                let channels = grids.dims.last().map_or(0, |&count| count as usize);
                yolox_detections(grids.values, channels, SQUARE)?
            }
            Detector::Dino(maps) => attention_detections(&class_attention(outputs)?, maps)?,
        };
        Ok(select(found))
    }
}

fn rcnn_detections(outputs: &[GraphOutput<'_>]) -> Result<Vec<Detection>> {
    let expected = "boxes [parts, 4] and scores [parts]";
    let boxes = outputs
        .iter()
        .position(|output| output.dims.len() >= 2 && output.dims.last() == Some(&4))
        .ok_or_else(|| wrong(expected, outputs))?;
    let corners = outputs[boxes].values.as_chunks::<4>().0;
    let scores = outputs
        .iter()
        .enumerate()
        .find(|(at, output)| *at != boxes && output.values.len() == corners.len())
        .ok_or_else(|| wrong(expected, outputs))?
        .1
        .values;
    Ok(corners
        .iter()
        .zip(scores)
        .filter(|&(_, &score)| score >= RCNN_SCORE_MIN)
        .map(|(&bounds, &score)| Detection { bounds, score })
        .collect())
}

/// `[heads, 14, 14]`: what the class token makes of each cell.
fn class_attention(outputs: &[GraphOutput<'_>]) -> Result<Vec<f32>> {
    let tokens = DINO_TOKENS as u32;
    let is_layer = |dims: &[u32]| dims.ends_with(&[tokens, tokens]);
    let is_row = |dims: &[u32]| dims.ends_with(&[CELLS as u32]) || dims.ends_with(&[14, 14]);
    let attention = first_of(outputs, "[heads, 197, 197] or [heads, 196]", |dims| {
        is_layer(dims) || is_row(dims)
    })?;
    if !is_layer(attention.dims) {
        return Ok(attention.values.to_vec());
    }
    let heads = attention.values.chunks_exact(DINO_TOKENS * DINO_TOKENS);
    Ok(heads
        .flat_map(|head| &head[1..DINO_TOKENS])
        .copied()
        .collect())
}

/// The first output whose shape, without axes of 1 before it, is as it should be.
fn first_of<'a>(
    outputs: &'a [GraphOutput<'a>],
    expected: &str,
    is_shape: impl Fn(&[u32]) -> bool,
) -> Result<&'a GraphOutput<'a>> {
    outputs
        .iter()
        .find(|output| {
            let leading = output.dims.iter().take_while(|&&size| size == 1).count();
            is_shape(&output.dims[leading..])
        })
        .ok_or_else(|| wrong(expected, outputs))
}

fn wrong(expected: &str, outputs: &[GraphOutput<'_>]) -> Error {
    let shapes: Vec<&[u32]> = outputs.iter().map(|output| output.dims).collect();
    Error::DetectorOutput {
        expected: expected.to_owned(),
        received: format!("outputs of shape {shapes:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Size;

    const DETECTORS: [Detector; 4] = [
        Detector::FasterRcnn,
        Detector::Yolox,
        Detector::Dino(AttentionMaps::Mean),
        Detector::Dino(AttentionMaps::EachHead),
    ];

    fn output<'a>(values: &'a [f32], dims: &'a [u32]) -> GraphOutput<'a> {
        GraphOutput { values, dims }
    }

    #[test]
    fn tensors_fill_the_shape_of_each_detector() {
        let picture = Picture::from_rgb(Size::new(31, 7), vec![255; 31 * 7 * 3]).unwrap();
        for detector in DETECTORS {
            let [channels, height, width] = detector.shape();
            let values = detector.tensor(&picture).unwrap();
            assert_eq!(
                values.len(),
                (channels * height * width) as usize,
                "{detector:?}"
            );
        }
        let white = Detector::FasterRcnn.tensor(&picture).unwrap();
        assert!(white.iter().all(|&value| value == 1.0));
    }

    #[test]
    fn boxes_and_scores_are_told_by_their_shapes() {
        let boxes = [0.0, 0.0, 100.0, 100.0, 120.0, 0.0, 220.0, 100.0];
        let (scores, unsure) = ([0.5, 0.9], [0.5, 0.9e-4]);
        let found = |outputs: &[GraphOutput<'_>]| {
            let found = Detector::FasterRcnn.detections(outputs).unwrap();
            found.iter().map(|one| one.score).collect::<Vec<_>>()
        };
        let of_boxes = output(&boxes, &[2, 4]);
        assert_eq!(found(&[of_boxes, output(&scores, &[2])]), [0.9, 0.5]);
        assert_eq!(
            found(&[output(&scores, &[1, 2]), output(&boxes, &[1, 2, 4])]),
            [0.9, 0.5]
        );
        assert_eq!(found(&[of_boxes, output(&unsure, &[2])]), [0.5]);
        assert_eq!(found(&[output(&[], &[0, 4]), output(&[], &[0])]), [0.0; 0]);
    }

    #[test]
    fn the_attention_of_the_class_token_is_cut_out_of_a_layer() {
        let mut layer = vec![7.0; 2 * DINO_TOKENS * DINO_TOKENS];
        let row = |head: usize| head * DINO_TOKENS * DINO_TOKENS + 1;
        for head in 0..2 {
            for cell in 0..CELLS {
                layer[row(head) + cell] = (head * CELLS + cell) as f32;
            }
        }
        let expected: Vec<f32> = (0..2 * CELLS).map(|value| value as f32).collect();
        for (values, dims) in [
            (&layer, &[1, 2, 197, 197][..]),
            (&layer, &[2, 197, 197]),
            (&expected, &[1, 2, 196]),
            (&expected, &[2, 14, 14]),
        ] {
            assert_eq!(
                class_attention(&[output(values, dims)]).as_ref(),
                Ok(&expected)
            );
        }
    }

    #[test]
    fn outputs_of_no_known_shape_are_refused() {
        let values = vec![0.5; 3024 * 6];
        let cases: [&[&[u32]]; 7] = [
            &[],
            &[&[]],
            &[&[3024 * 6]],
            &[&[3023, 6]],
            &[&[6, 197]],
            &[&[4, 4]],
            &[&[4, 4], &[5]],
        ];
        for dims in cases {
            let outputs: Vec<_> = dims
                .iter()
                .map(|dims| output(&values[..dims.iter().product::<u32>() as usize], dims))
                .collect();
            for detector in DETECTORS {
                let refused = detector.detections(&outputs);
                assert!(
                    matches!(refused, Err(Error::DetectorOutput { .. })),
                    "{detector:?} of {dims:?}"
                );
            }
        }
    }
}
