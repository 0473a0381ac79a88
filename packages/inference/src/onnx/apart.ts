import { normalize } from '@pelorus/node';
import { reasonOf } from '../reason.js';
import type { Embeddings, InputFailure } from '../runtime/encoder.js';
import { type InputsBatch, isTensors } from '../runtime/messages.js';

/** The way of a session to its vectors. */
export interface VectorSource {
  /** Components of a vector. */
  readonly dimensions: number;
  /** Inputs that are computed at once, null for any number. */
  readonly batchSize: number | null;
  /** The vectors of some inputs. @throws Error when one of them cannot be taken */
  vectors(batch: InputsBatch): Promise<Float32Array>;
}

/** Vectors of the inputs; one that the source cannot take, or gives no finite vector for, fails alone. */
export async function embedApart(source: VectorSource, batch: InputsBatch, isNormalized: boolean): Promise<Embeddings> {
  const count = countOf(batch);
  const vectors = new Float32Array(count * source.dimensions);
  const failures: InputFailure[] = [];
  for (const part of parts(batch, source.batchSize ?? count)) await embedPart(source, part, vectors, failures);
  return { vectors: isNormalized ? normalize(vectors, source.dimensions) : vectors, failures };
}

/** Embeds some inputs at once. Where that fails each is embedded by itself, to tell which of them it was. */
async function embedPart(
  source: VectorSource,
  { firstRow: row, batch }: Part,
  vectors: Float32Array,
  failures: InputFailure[],
): Promise<void> {
  const { dimensions } = source;
  const count = countOf(batch);
  try {
    const rows = await source.vectors(batch);
    for (let at = 0; at < count; at++) {
      const vector = rows.subarray(at * dimensions, (at + 1) * dimensions);
      if (vector.every(Number.isFinite)) vectors.set(vector, (row + at) * dimensions);
      else failures.push({ row: row + at, message: 'its vector holds what is not a finite number' });
    }
  } catch (error) {
    if (count === 1) failures.push({ row, message: reasonOf(error) });
    else for (const one of parts(batch, 1, row)) await embedPart(source, one, vectors, failures);
  }
}

/** Inputs of a batch that are run at once. */
interface Part {
  /** The first row of their vectors in the whole. */
  readonly firstRow: number;
  readonly batch: InputsBatch;
}

/** A batch, whose first input is row `firstRow`, in parts of `count` inputs at most. Nothing is copied. */
function* parts(batch: InputsBatch, count: number, firstRow = 0): Generator<Part> {
  let start = 0;
  for (let first = 0; first < countOf(batch); first += count) {
    if (isTensors(batch)) {
      const { values, shape } = batch;
      const length = values.length / countOf(batch);
      const some = values.subarray(first * length, (first + count) * length);
      yield { firstRow: firstRow + first, batch: { values: some, shape } };
      continue;
    }
    const lengths = batch.lengths.subarray(first, first + count);
    const end = lengths.reduce((sum, length) => sum + length, start);
    yield { firstRow: firstRow + first, batch: { ids: batch.ids.subarray(start, end), lengths } };
    start = end;
  }
}

function countOf(batch: InputsBatch): number {
  if (!isTensors(batch)) return batch.lengths.length;
  return batch.values.length / batch.shape.reduce((product, size) => product * size, 1);
}
