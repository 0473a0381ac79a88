import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { LOCATION_LENGTH, NO_TOKEN, OWL_TOKENS } from '../owl-input.js';
import type { TensorBatch } from '../runtime/encoder.js';

/** The use of an owl's graph. */
export interface OwlUse {
  readonly medium: 'owl';
  /** Pixels of each edge of its pictures. */
  readonly side: number;
}

const INPUTS = ['input_ids', 'attention_mask', 'pixel_values'];

/**
 * OWL-ViT, which looks for a text in a picture: `input_ids` and `attention_mask`, `[1, 16]`, and `pixel_values`,
 * `[1, 3, side, side]`, become `logits`, `[1, boxes, 1]`, and `pred_boxes`, `[1, boxes, 4]`, middle and size as shares of the
 * picture. Where others give a vector it gives the best place. It runs one picture at a time.
 */
export class OwlGraph {
  readonly #session: InferenceSession;
  readonly #side: number;
  readonly batchSize = 1;

  /** @throws Error when it takes or gives something else */
  constructor(session: InferenceSession, { side }: OwlUse) {
    this.#session = session;
    this.#side = side;
    const stray = session.inputNames.find((name) => !INPUTS.includes(name));
    if (stray !== undefined) throw new Error(`its graph asks for an input "${stray}", expected ${INPUTS.join(', ')}`);
    const missing = ['logits', 'pred_boxes'].find((name) => !session.outputNames.includes(name));
    if (missing !== undefined) throw new Error(`its graph has no output "${missing}"`);
    const picture = session.inputMetadata.find(({ name }) => name === 'pixel_values');
    if (!picture?.isTensor || picture.type !== 'float32')
      throw new Error('its graph has no float32 input "pixel_values"');
    const size = picture.shape.at(-1);
    if (typeof size === 'number' && size > 0 && size !== side) {
      throw new Error(`its graph takes pictures of ${size} pixels, expected ${side}`);
    }
  }

  /** The best place of one picture. @throws Error when the outputs are not those of such a graph */
  async vectors({ values }: TensorBatch): Promise<Float32Array> {
    const { logits, pred_boxes: boxes } = await this.#session.run(this.#feeds(values), ['logits', 'pred_boxes']);
    const scores = logits?.data as Float32Array;
    const corners = boxes?.data as Float32Array;
    if (logits?.type !== 'float32' || boxes?.type !== 'float32' || corners.length !== 4 * scores.length) {
      throw new Error(
        `its outputs are [${logits?.dims}] and [${boxes?.dims}], expected [1, boxes, 1] and [1, boxes, 4]`,
      );
    }
    const place = bestPlace(scores, corners);
    logits.dispose();
    boxes.dispose();
    return place;
  }

  #feeds(values: Float32Array): Record<string, Tensor> {
    const picture = values.slice(0, -OWL_TOKENS);
    const ids = values.subarray(-OWL_TOKENS);
    const tokens = (value: (id: number) => number) =>
      new Tensor(
        'int64',
        BigInt64Array.from(ids, (id) => BigInt(value(id))),
        [1, OWL_TOKENS],
      );
    const all: Record<string, Tensor> = {
      input_ids: tokens((id) => (id === NO_TOKEN ? 0 : id)),
      attention_mask: tokens((id) => (id === NO_TOKEN ? 0 : 1)),
      pixel_values: new Tensor('float32', picture, [1, 3, this.#side, this.#side]),
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => this.#session.inputNames.includes(name)));
  }
}

/** The box with the highest logit, the first of equal ones, by its corners, and the share that the logit stands for. */
function bestPlace(logits: Float32Array, boxes: Float32Array): Float32Array {
  let best = -1;
  for (const [at, logit] of logits.entries()) {
    if (Number.isFinite(logit) && (best === -1 || logit > (logits[best] ?? 0))) best = at;
  }
  if (best === -1) throw new Error('it is sure of no box: none of its logits is a finite number');
  const [x = 0, y = 0, width = 0, height = 0] = boxes.subarray(best * 4, best * 4 + 4);
  const place = new Float32Array(LOCATION_LENGTH);
  place.set([x - width / 2, y - height / 2, x + width / 2, y + height / 2, 1 / (1 + Math.exp(-(logits[best] ?? 0)))]);
  return place;
}
