import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EncoderCalibrator, InputBatch, TokenEncoder, Tokenizer } from '@pelorus/node';
import { type InferenceConfig, type InferenceSettings, inferenceSettings, type Precision } from '../config.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { encoderThreads, OwnTextEncoder } from '../own/text-encoder.js';
import { reasonOf } from '../reason.js';
import { unusableModel } from '../registry/model-error.js';
import { resolveModel } from '../registry/resolve.js';
import type { ResolvedModel } from '../resolved-model.js';
import { cpuBatchPolicy } from '../runtime/batch-policy.js';
import { textInputs } from '../runtime/encoder.js';
import { ModelStore } from '../sources/model-store.js';
import type { OnProgress } from '../sources/progress.js';
import { everydayTexts } from './everyday-texts.js';

/** The mean cosine to vectors of f32 that int8 is expected to reach. */
export const CALIBRATED_COSINE = 0.998;

/** Texts that are looked at between two turns of the event loop: progress is told and signals are heeded after each. */
const BATCH_TEXTS = 8;
/** Every such batch is kept back, to be compared and not looked at. */
const COMPARED_EVERY = 4;
/** Fewest batches of which some are kept back. */
const KEPT_BACK_MIN = 2 * COMPARED_EVERY;

export interface CalibrateOptions {
  /** Texts like those that the model is to embed; everyday sentences when absent. */
  readonly texts?: readonly string[] | undefined;
  /** The file to write; the one that is looked for when absent. */
  readonly output?: string | undefined;
  /** Told how many of all texts are done. */
  readonly onTexts?: ((done: number, all: number) => void) | undefined;
  /** Told of the model on its way here. */
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Cosines of vectors in another precision to those in f32. */
export interface Cosines {
  readonly least: number;
  readonly mean: number;
}

/** A calibration that was made. */
export interface CalibratedModel {
  readonly file: string;
  /** The file where a server looks for it. */
  readonly place: string;
  readonly textCount: number;
  /** Those of int8, of texts that were not looked at where there are enough. */
  readonly cosine: Cosines;
}

/** A model on its way to a calibration, and what it is told of. */
interface Work extends Pick<CalibrateOptions, 'onTexts' | 'signal'> {
  readonly model: ResolvedModel;
  readonly folder: ModelFolder;
  readonly settings: InferenceSettings;
}

/**
 * Measures the values that the products of a model are given, writes them into a file by which int8 is scaled, and compares
 * the vectors in int8 with those in f32. The file appears whole or not at all.
 *
 * @throws PelorusError `invalid_argument` for an unknown name, `bad_request` where the model cannot be had, is none that
 *   an encoder of Pelorus runs, or the file cannot be written
 * @throws the reason of `signal` once it is aborted; nothing is left then
 */
export async function calibrateModel(
  name: string,
  options: CalibrateOptions = {},
  config: InferenceConfig = {},
): Promise<CalibratedModel> {
  const { onProgress, onTexts, signal, output } = options;
  const settings = inferenceSettings(config);
  const model = resolveModel(name, undefined, settings.modelFile);
  const isOfTexts = model.modalities.length === 1 && model.modalities[0] === 'text';
  const { kind } = model.weights;
  if (!isOfTexts || kind === 'none' || kind === 'random' || kind === 'service') {
    throw unusableModel(`Model ${name} has nothing to calibrate: only models of texts alone run in int8`);
  }
  const store = new ModelStore(settings);
  try {
    const folder = await store.ensure(model, { onProgress, signal });
    const place = resolve(store.calibrationOf(model));
    const file = resolve(output ?? place);
    const made = `${file}.${randomUUID()}.incoming`;
    const batches = batchesOf(model, options.texts ?? everydayTexts());
    try {
      const cosine = await calibrate({ model, folder, settings, onTexts, signal }, batches, made);
      await rename(made, file).catch((error) => Promise.reject(unwritable(file, error)));
      return { file, place, textCount: batches.flat().length, cosine };
    } finally {
      await rm(made, { force: true });
    }
  } finally {
    await store.close();
  }
}

/** Texts in batches, with the prefix of chunks and of queries in turns. */
function batchesOf(model: ResolvedModel, texts: readonly string[]): string[][] {
  if (texts.length === 0) throw unusableModel('There are no texts to calibrate with');
  const prefixes = [model.textChunkPrefix ?? '', model.textQueryPrefix ?? ''];
  const prefixed = texts.map((text, at) => `${prefixes[at % prefixes.length]}${text}`);
  return Array.from({ length: Math.ceil(texts.length / BATCH_TEXTS) }, (_, at) =>
    prefixed.slice(at * BATCH_TEXTS, (at + 1) * BATCH_TEXTS),
  );
}

async function calibrate(work: Work, batches: readonly string[][], file: string): Promise<Cosines> {
  const { model, folder, onTexts, signal } = work;
  const { cleaning, omitsSeparator } = model.text;
  const graph = folder.graphs.text ?? '';
  const calibrator = await ours(model, () => EncoderCalibrator.open(graph));
  const tokenizer = await Tokenizer.load(await readFile(folder.tokenizer), model.tokens, { cleaning, omitsSeparator });
  const isKeptBack = (at: number) => batches.length >= KEPT_BACK_MIN && at % COMPARED_EVERY === COMPARED_EVERY - 1;
  const all = batches.flat().length;
  let done = 0;
  for (const [at, texts] of batches.entries()) {
    if (!isKeptBack(at)) {
      const { ids, offsets } = await tokenizer.encode(InputBatch.of(textInputs(texts)));
      const lengths = offsets.subarray(1).map((end, row) => end - (offsets[row] ?? 0));
      // A text that failed has no tokens.
      const some = lengths.filter((length) => length > 0);
      if (some.length > 0) await ours(model, async () => calibrator.add(ids, some));
    }
    done += texts.length;
    onTexts?.(done, all);
    // Signals are told between turns of the event loop alone.
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  const text = await ours(model, async () => calibrator.calibration());
  await write(file, text);
  const compared = batches.length >= KEPT_BACK_MIN ? batches.filter((_, at) => isKeptBack(at)) : batches;
  const texts = compared.flat();
  const exact = await vectors(work, 'f32', () => TokenEncoder.open(graph, 'f32'), texts);
  const coded = await vectors(work, 'int8', () => TokenEncoder.openInt8(graph, file), texts);
  return cosines(exact, coded, exact.length / texts.length);
}

/** Vectors as a server has them. */
async function vectors(
  { model, folder, settings, signal }: Work,
  precision: Precision,
  open: () => Promise<TokenEncoder>,
  texts: readonly string[],
): Promise<Float32Array> {
  const threads = encoderThreads(settings.threads, cpuBatchPolicy(settings.documentBatchTokens));
  try {
    const weights = await ours(model, open);
    const encoder = await OwnTextEncoder.open(threads, model, folder, weights, precision);
    const options = { normalize: true, priority: 'document', ...(signal !== undefined && { signal }) } as const;
    const found = await encoder.encode(InputBatch.of(textInputs(texts)), options);
    await encoder.release();
    return found.vectors;
  } finally {
    await threads.close();
  }
}

/** The least and the mean cosine of two matrices' rows; rows of zeros are those of texts without a vector. */
function cosines(a: Float32Array, b: Float32Array, dimensions: number): Cosines {
  const found: number[] = [];
  for (let start = 0; start < a.length; start += dimensions) {
    let [dot, aa, bb] = [0, 0, 0];
    for (let i = start; i < start + dimensions; i += 1) {
      const [x, y] = [a[i] ?? 0, b[i] ?? 0];
      dot += x * y;
      aa += x * x;
      bb += y * y;
    }
    if (aa > 0) found.push(bb > 0 ? dot / Math.sqrt(aa * bb) : 0);
  }
  if (found.length === 0) throw unusableModel('None of the texts to calibrate with has a vector');
  return {
    least: found.reduce((least, cosine) => Math.min(least, cosine)),
    mean: found.reduce((sum, cosine) => sum + cosine) / found.length,
  };
}

async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(file: string, error: unknown) {
  return unusableModel(
    `The calibration cannot be written to ${file}: ${reasonOf(error)}. Name another file with --output`,
  );
}

/** Words a refusal of the encoder. */
async function ours<T>(model: ResolvedModel, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'invalid_argument' && code !== 'bad_request') throw error;
    throw unusableModel(`Model ${model.name} cannot be calibrated: ${reasonOf(error)}`, error);
  }
}
