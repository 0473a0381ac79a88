import { PelorusError } from '@pelorus/contract';
import type { PatchDetector, PicturePreparation } from '@pelorus/node';
import { detectionsOf } from '../detection-rows.js';
import type { Embeddings, TensorBatch } from '../runtime/encoder.js';
import { MediaFailure } from './media-failure.js';
import type { PictureTask } from './preparation.js';
import type { PreparationPool } from './preparation-pool.js';
import type { Claim } from './semaphore.js';

/** The detector, threads and bounds with which the patches of a picture are made. */
export interface PatchingSteps {
  readonly detector: PatchDetector;
  readonly preparation: PicturePreparation;
  readonly pool: PreparationPool;
  readonly claim: Claim;
  readonly limits: PictureTask['limits'];
  /** Tensors that are prepared at once. */
  readonly count: number;
  /** Finds the parts of each picture: rows as `detection-rows.ts` describes them. */
  readonly detect: (detector: PatchDetector, tensors: TensorBatch) => Promise<Embeddings>;
  readonly encode: (tensors: TensorBatch) => Promise<Embeddings>;
}

/**
 * The vectors of a picture and of the parts that a detector finds in it, the whole first, and where they are. The picture is
 * decoded anew for each of its steps: that is little beside the detector, and pixels are not kept meanwhile.
 * @throws MediaFailure of the picture or the detector; otherwise the errors of `detect` and `encode`
 */
export async function embedDetectedPatches(
  file: PictureTask['picture'],
  { detector, preparation, pool, claim, limits, count, detect, encode }: PatchingSteps,
): Promise<{ vectors: Float32Array; labels: string[] }> {
  const seen = await pool.prepare({ kind: 'detection', picture: file, detector, limits }, claim);
  const row = checked(await detect(detector, { values: seen.values, shape: seen.shape }).catch(ofDetector));
  const detections = detectionsOf(row);
  const made: Float32Array[] = [];
  const labels: string[] = [];
  let { picture } = seen;
  for (let first = 0; first === labels.length; first += count) {
    const task = { kind: 'patches', picture, preparation, detections, first, count, limits } as const;
    const prepared = await pool.prepare(task, claim);
    if (prepared.boxes.length === 0) break;
    labels.push(...prepared.boxes);
    made.push(checked(await encode({ values: prepared.values, shape: prepared.shape })));
    picture = prepared.picture;
  }
  return { vectors: joined(made), labels };
}

/** Vectors of which none may be missing. */
function checked({ vectors, failures }: Embeddings): Float32Array {
  const [failure] = failures;
  if (failure !== undefined) throw new MediaFailure(failure.message);
  return vectors;
}

/** A detector that cannot be had is the matter of those pictures that need it. */
function ofDetector(error: unknown): never {
  if (error instanceof PelorusError && error.code === 'bad_request') throw new MediaFailure(error.message);
  throw error;
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
