import { invalidArgument } from '@pelorus/contract';
import type { EncoderInput } from '@pelorus/inference';
import { UnreadVector } from '../http/extracted-vectors.js';

/** One part of a query: something to embed or a vector, and its weight among the others. */
export type QueryPart =
  | { readonly input: EncoderInput; readonly weight: number }
  | { readonly vector: QueryVector; readonly weight: number };

/** Numbers, or a vector of a body that was taken out before that was parsed. */
export type QueryVector = readonly number[] | UnreadVector;

/**
 * Embeds the inputs among `parts`, all at once, and puts every part's vector in its place.
 * @param embed inputs to rows of `dim` values
 * @returns `[parts, dim]`, row-major
 */
export async function queryVectors(
  parts: readonly QueryPart[],
  dim: number,
  embed: (inputs: EncoderInput[]) => Promise<Float32Array>,
): Promise<Float32Array> {
  const alone = vectorAlone(parts, dim);
  if (alone !== undefined) return alone.read();
  for (const part of parts) if ('vector' in part) checkVector(part.vector, dim);
  const inputs = parts.flatMap((part) => ('input' in part ? [part.input] : []));
  const embedded = inputs.length > 0 ? await embed(inputs) : new Float32Array(0);
  return inputs.length === parts.length ? embedded : interleave(parts, embedded, dim);
}

/**
 * The vector of a query that is nothing but one that was taken out of the body; undefined for any other query.
 * @throws PelorusError `invalid_argument` for one of other dimensions
 */
export function vectorAlone(parts: readonly QueryPart[], dim: number): UnreadVector | undefined {
  const only = parts[0];
  if (only === undefined || parts.length > 1 || !('vector' in only) || !(only.vector instanceof UnreadVector)) {
    return undefined;
  }
  checkVector(only.vector, dim);
  return only.vector;
}

function interleave(parts: readonly QueryPart[], embedded: Float32Array, dim: number): Float32Array {
  const rows = new Float32Array(parts.length * dim);
  let next = 0;
  for (const [i, part] of parts.entries()) {
    if ('vector' in part) rows.set(part.vector instanceof UnreadVector ? part.vector.read() : part.vector, i * dim);
    else {
      rows.set(embedded.subarray(next, next + dim), i * dim);
      next += dim;
    }
  }
  return rows;
}

function checkVector(vector: QueryVector, dim: number): void {
  if (vector.length !== dim) {
    throw invalidArgument(
      `The dimension of the vectors returned by the model or given by the context vectors does not match the expected dimension. Expected dimension ${dim} but got ${vector.length}`,
    );
  }
  if (vector instanceof UnreadVector) return;
  const beyond = vector.find((component) => !Number.isFinite(Math.fround(component)));
  if (beyond !== undefined) throw invalidArgument(`A vector holds ${beyond}, which is beyond 32-bit floating point`);
}
