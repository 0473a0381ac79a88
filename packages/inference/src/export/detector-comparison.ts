import { join } from 'node:path';
import { detectorShape } from '@pelorus/node';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { GRAPH } from '../folder/layout.js';
import { OnnxSession } from '../onnx/onnx-session.js';
import { unusableModel } from '../registry/model-error.js';
import type { DetectorModel } from '../resolved-model.js';
import { COSINE_MIN, type Comparison, cosine } from './comparison.js';
import type { GraphRun } from './python.js';

/**
 * Compares the results of a detector's graph here with those of its original, and sees that parts can be made of them.
 * @throws PelorusError `bad_request` where they differ, or the graph cannot be used
 */
export async function compareDetector(
  model: DetectorModel,
  folder: string,
  runs: readonly GraphRun[],
): Promise<Comparison> {
  if (runs.length === 0) throw unusableModel(`The export of ${model.name} came without anything to compare it with`);
  await requireDetections(model, folder, runs);
  const session = await InferenceSession.create(join(folder, GRAPH));
  try {
    let least = Number.POSITIVE_INFINITY;
    for (const [i, { input, outputs }] of runs.entries()) {
      const given = await session.run({ [session.inputNames[0] ?? '']: inputOf(session, model, input) });
      for (const [name, original] of Object.entries(outputs)) {
        const found = likeness(floatsOf(original), given[name]?.data);
        if (!(found >= COSINE_MIN)) throw otherwise(model, `${name} of picture ${i + 1}`, found);
        least = Math.min(least, found);
      }
    }
    return { inputCount: runs.length, cosine: least };
  } finally {
    await session.release();
  }
}

/** Runs the graph as it is used. */
async function requireDetections(
  { name, detector, dimensions }: DetectorModel,
  folder: string,
  runs: readonly GraphRun[],
): Promise<void> {
  const use = { medium: 'detector', detector } as const;
  const session = await OnnxSession.open({ id: 0, device: 'cpu', dimensions, graph: join(folder, GRAPH), use });
  try {
    for (const { input } of runs) {
      const { failures } = await session.run({ values: floatsOf(input), shape: detectorShape(detector) }, false);
      const [failure] = failures;
      if (failure !== undefined) throw unusableModel(`The export of ${name} cannot be used: ${failure.message}`);
    }
  } finally {
    await session.release();
  }
}

/** A picture with the axes that the graph has. */
function inputOf(session: InferenceSession, { detector }: DetectorModel, input: string): Tensor {
  const shape = detectorShape(detector);
  const [metadata] = session.inputMetadata;
  const hasBatch = metadata?.isTensor === true && metadata.shape.length > shape.length;
  return new Tensor('float32', floatsOf(input), [...(hasBatch ? [1] : []), ...shape]);
}

/** The cosine of what should be equal; 0 where there is more or less of it, 1 where there is nothing of either. */
function likeness(original: Float32Array, given: unknown): number {
  if (!(given instanceof Float32Array) || given.length !== original.length) return 0;
  return original.length === 0 ? 1 : cosine(original, given);
}

function floatsOf(base64: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer);
}

const otherwise = ({ name }: DetectorModel, what: string, found: number) =>
  unusableModel(
    `The export of ${name} does not give what the original does: the cosine is ${found.toFixed(6)} for the ${what}, ` +
      `expected at least ${COSINE_MIN}`,
  );
