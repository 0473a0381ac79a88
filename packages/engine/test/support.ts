import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type AddOptions, EmbeddedEngine, type SearchPlan, type StoredDefinition } from '../src/index.js';

export const DIMENSIONS = 4;

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
export const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString('utf8'));

/** A directory that is gone when the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pelorus-engine-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** An engine that is closed when the test is over. */
export async function openEngine(directory?: string): Promise<EmbeddedEngine> {
  const engine = await EmbeddedEngine.open(directory ?? (await temporaryDirectory()));
  onTestFinished(() => engine.close());
  return engine;
}

/** The definition of an unstructured index whose texts are embedded to {@link DIMENSIONS}. */
export const definition: StoredDefinition = {
  settings: {
    type: 'unstructured',
    model: 'random/small',
    normalizeEmbeddings: true,
    treatUrlsAndPointersAsImages: false,
    treatUrlsAndPointersAsMedia: false,
    filterStringMaxLength: 50,
    textPreprocessing: { splitLength: 1, splitOverlap: 0, splitMethod: 'sentence' },
    imagePreprocessing: {},
    videoPreprocessing: { splitLength: 20, splitOverlap: 3 },
    audioPreprocessing: { splitLength: 10, splitOverlap: 3 },
    vectorNumericType: 'float',
    annParameters: { spaceType: 'prenormalized-angular', parameters: { efConstruction: 64, m: 8 } },
  },
  resolved: {
    dimensions: DIMENSIONS,
    textQueryPrefix: '',
    textChunkPrefix: '',
    embeds: true,
    createdAt: '2026-01-01T00:00:00.000Z',
    modelKey: 'random/small',
  },
};

export const addOptions: AddOptions = {
  tensorFields: ['title'],
  mappings: null,
  useExistingTensors: false,
  textChunkPrefix: '',
  maxDocBytes: null,
};

/** A tensor search for one query vector. */
export const tensorPlan: SearchPlan = {
  limit: 3,
  offset: 0,
  filter: null,
  attributesToRetrieve: null,
  showHighlights: true,
  retrievalMethod: 'tensor',
  rankingMethod: 'tensor',
  rrf: null,
  tensor: {
    fields: null,
    efSearch: 2000,
    approximate: true,
    approximateThreshold: null,
    weights: [1],
    interpolation: null,
  },
  lexical: null,
};

/** Row `i` of the result has a one in place `i`. */
export function unitRows(count: number): Float32Array {
  const rows = new Float32Array(count * DIMENSIONS);
  for (let row = 0; row < count; row += 1) rows[row * DIMENSIONS + (row % DIMENSIONS)] = 1;
  return rows;
}
