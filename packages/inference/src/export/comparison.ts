import { type EncoderInput, InputBatch } from '@pelorus/node';
import type { InferenceConfig } from '../config.js';
import { createInference } from '../inference.js';
import { unusableModel } from '../registry/model-error.js';
import type { Pooling, ResolvedModel } from '../resolved-model.js';
import type { Exported } from './python.js';

/** Two computations of one network in single precision agree better than this; another network does not reach it. */
export const COSINE_MIN = 0.9999;

const SHOWN_LENGTH_MAX = 40;

/** The nearness of an export to its original. */
export interface Comparison {
  readonly inputCount: number;
  /** The cosine of the input whose vectors differ most. */
  readonly cosine: number;
}

interface Compared {
  readonly input: EncoderInput;
  /** For people. */
  readonly shown: string;
  readonly original: readonly number[];
}

/**
 * Compares the vectors that a model's files give here, from the text or picture on, with those of its original.
 * @throws PelorusError `bad_request` where they differ, or the files cannot be loaded
 */
export async function compareWithOriginal(
  model: ResolvedModel,
  pooling: Pooling,
  { texts, pictures }: Exported,
  config: InferenceConfig,
): Promise<Comparison> {
  const compared = [
    ...texts.map(({ text, vectors }): Compared => {
      const original = vectors.pipeline ?? vectors.tower ?? vectors[pooling] ?? [];
      // Models of the type test take what a larger one begins with.
      const kept = model.type === 'test' ? original.slice(0, model.dimensions) : original;
      return { input: { kind: 'text', text }, shown: `the text ${JSON.stringify(cut(text))}`, original: kept };
    }),
    ...pictures.map(({ png, vector }, i): Compared => {
      const pointer = `data:image/png;base64,${png}`;
      const input = { kind: 'media', pointer, medium: 'image', patches: false } as const;
      return { input, shown: `picture ${i + 1}`, original: vector };
    }),
  ];
  const { dimensions, name } = model;
  const odd = compared.find(({ original }) => original.length !== dimensions);
  if (odd !== undefined) {
    throw unusableModel(
      `The original gives vectors of ${odd.original.length} numbers, but ${name} has ${dimensions} dimensions`,
    );
  }
  const vectors = await vectorsOf(model, compared, config);
  const cosines = compared.map(({ original }, row) =>
    cosine(original, vectors.subarray(row * dimensions, (row + 1) * dimensions)),
  );
  const least = Math.min(...cosines);
  if (least >= COSINE_MIN) return { inputCount: compared.length, cosine: least };
  throw unusableModel(
    `The export of ${name} does not give the vectors of the original: their cosine is ${least.toFixed(6)} for ` +
      `${compared[cosines.indexOf(least)]?.shown}, expected at least ${COSINE_MIN}`,
  );
}

async function vectorsOf(
  model: ResolvedModel,
  compared: readonly Compared[],
  config: InferenceConfig,
): Promise<Float32Array> {
  const inference = createInference({ ...config, threads: 1, modelMemory: Number.MAX_VALUE });
  try {
    const { vectors, failures } = await inference.embed(model, InputBatch.of(compared.map(({ input }) => input)), {
      normalize: true,
      media: {
        headers: {},
        patchMethod: null,
        video: null,
        audio: null,
        fileBytesMax: 0,
        treated: ['image'],
      },
    });
    const [failure] = failures;
    if (failure === undefined) return vectors;
    throw unusableModel(
      `The export of ${model.name} gives no vector for ${compared[failure.row]?.shown}: ${failure.message}`,
    );
  } finally {
    await inference.close();
  }
}

/** Not a number, and so no cosine that is good enough, where a vector is zero. */
export function cosine(a: ArrayLike<number>, b: Float32Array): number {
  const dot = b.reduce((sum, value, i) => sum + value * (a[i] ?? 0), 0);
  return dot / (Math.hypot(...Array.from(a)) * Math.hypot(...b));
}

const cut = (text: string) => (text.length <= SHOWN_LENGTH_MAX ? text : `${text.slice(0, SHOWN_LENGTH_MAX)}...`);
