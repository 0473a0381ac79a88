import type { TensorBatch } from '../runtime/encoder.js';
import type { TakenFrame } from './ffmpeg.js';
import { PIECE_FRAMES } from './ffmpeg-frames.js';
import { MediaFailure } from './media-failure.js';

/** A frame as the tower takes it, `[channels, height, width]`. */
interface FrameTensor {
  readonly values: Float32Array;
  readonly shape: readonly number[];
}

/**
 * The tensor of a piece of a film, `[channels, frames, height, width]`, of its frames as they come: no more than one is in
 * memory as pixels. Places whose frame never came have the last one that did.
 * @throws MediaFailure when none came; what `frames` and `prepare` throw
 */
export async function filmTensor(
  frames: AsyncIterable<TakenFrame>,
  prepare: (frame: TakenFrame) => Promise<FrameTensor>,
): Promise<TensorBatch> {
  const tensors = new Array<FrameTensor | undefined>(PIECE_FRAMES);
  let last: FrameTensor | undefined;
  for await (const frame of frames) {
    last = await prepare(frame);
    for (const place of frame.places) tensors[place] = last;
  }
  if (last === undefined) throw new MediaFailure('it has no frames there');
  const [channels = 0, height = 0, width = 0] = last.shape;
  const plane = height * width;
  const values = new Float32Array(channels * PIECE_FRAMES * plane);
  for (let place = 0; place < PIECE_FRAMES; place += 1) {
    const frame = tensors[place] ?? last;
    for (let channel = 0; channel < channels; channel += 1) {
      const part = frame.values.subarray(channel * plane, (channel + 1) * plane);
      values.set(part, (channel * PIECE_FRAMES + place) * plane);
    }
  }
  return { values, shape: [channels, PIECE_FRAMES, height, width] };
}
