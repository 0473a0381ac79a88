import { onTestFinished } from 'vitest';
import {
  type AddOptions,
  type EmbeddingReport,
  InputBatch,
  type ItemsResponse,
  type LexicalLeg,
  randomVectors,
  type SearchPlan,
  type StorageEngine,
  type StoredDefinition,
  type TensorLeg,
} from '../src/index.js';
import type { EngineSource } from './suite.js';

/** An engine without indexes that is removed when the test is over. */
export async function openFor(source: EngineSource): Promise<StorageEngine> {
  const engine = await source.open();
  onTestFinished(() => source.remove(engine));
  return engine;
}

/** Length of every vector here. */
export const dimensions = 8;

/** The definition of an unstructured index; a chunk is a sentence. */
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
    dimensions,
    textQueryPrefix: '',
    textChunkPrefix: '',
    embeds: true,
    chunksEveryScript: true,
    createdAt: '2026-01-01T00:00:00.000Z',
    modelKey: 'random/small',
  },
};

/** The same with properties of its model, synonyms and what these were, which are nothing to an engine. */
export const redefined = (note: string): StoredDefinition => ({
  ...definition,
  settings: { ...definition.settings, modelProperties: { note } },
  curation: { version: 1, updatedAt: null, rules: [], synonyms: [{ terms: ['river', note] }] },
  earlierCurations: [{ version: 0, updatedAt: null, rules: [], synonyms: [] }],
});

export const addOptions: AddOptions = {
  tensorFields: ['title', 'body'],
  nonTensorFields: null,
  mappings: null,
  useExistingTensors: false,
  useGivenTensors: false,
  textChunkPrefix: '',
  media: [],
  maxDocBytes: null,
  reportsCreation: false,
  keepsOtherFields: false,
  within: null,
};

export const tensorLeg: TensorLeg = {
  fields: null,
  boosts: null,
  efSearch: 2000,
  approximate: false,
  approximateThreshold: null,
  weights: [1],
  interpolation: null,
  scoreModifiers: null,
  rerankDepth: null,
};

/** A search by one vector. */
export const tensorPlan: SearchPlan = {
  limit: 10,
  offset: 0,
  filter: null,
  within: null,
  addedFilters: [],
  pinned: [],
  hidden: [],
  attributesToRetrieve: null,
  showHighlights: false,
  explain: false,
  lexicalHighlights: null,
  didYouMean: null,
  retrievalMethod: 'tensor',
  rankingMethod: 'tensor',
  rrf: null,
  context: null,
  tensor: tensorLeg,
  lexical: null,
  rerankCount: null,
  rescoring: null,
  recency: null,
  relevanceCutoff: null,
  lateInteraction: null,
  diversity: null,
  sort: null,
  collapse: null,
  facets: null,
  trackTotalHits: false,
  distances: [],
};

export const lexicalLeg = (text: string, fields: readonly string[] | null = null): LexicalLeg => ({
  text,
  operand: 'or',
  fields,
  scoreModifiers: null,
  modifiedCount: null,
  language: null,
  typing: null,
  fieldWeights: [],
  stopWords: null,
  phraseSlop: 0,
  sparse: null,
  textRanking: null,
});

/** A search by words. */
export function lexicalPlan(text: string, fields: readonly string[] | null = null): SearchPlan {
  const lexical = lexicalLeg(text, fields);
  return { ...tensorPlan, retrievalMethod: 'lexical', rankingMethod: 'lexical', tensor: null, lexical };
}

/** Stands in for a model: unit vectors that depend on the text alone, so that each tells its text. */
const model = (inputs: InputBatch) => randomVectors(inputs, dimensions);

/** The vectors of texts, row by row. */
export const rowsOf = (texts: readonly string[]): Promise<Float32Array> =>
  model(InputBatch.of(texts.map((text) => ({ kind: 'text', text }))));

/** The vector of a text. */
export const embed = (text: string): Promise<Float32Array> => rowsOf([text]);

export const rowAt = (rows: Float32Array, row: number): Float32Array =>
  rows.subarray(row * dimensions, (row + 1) * dimensions);

/** Returns the texts, among the `known` ones, whose vectors `rows` are. */
export async function textsOf(rows: Float32Array, known: readonly string[]): Promise<readonly string[]> {
  const vectors = await rowsOf(known);
  const texts = new Map(known.map((text, i) => [rowAt(vectors, i).join(), text]));
  return Array.from({ length: rows.length / dimensions }, (_, i) => texts.get(rowAt(rows, i).join()) ?? 'unknown');
}

/** Numbers from 0 to 1 that depend on the seed alone: FNV-1a over its characters, then xorshift32. */
export function randomNumbers(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  state ||= 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

export function fromJson<Value>(bytes: Buffer): Value {
  return JSON.parse(bytes.toString('utf8'));
}

/** Every input has its vector. */
export const EMBEDDED: EmbeddingReport = { failures: [], parts: [] };

/** Adds documents, each text embedded as {@link embed} does; `rows` are the vectors. */
export async function add(
  engine: StorageEngine,
  index: string,
  documents: readonly unknown[],
  options: Partial<AddOptions> = {},
): Promise<{ rows: Float32Array; response: ItemsResponse }> {
  const batch = await engine.prepareAdd(index, toJson({ documents }));
  const rows = await model(await batch.prepare({ ...addOptions, ...options }));
  return { rows, response: await batch.apply(rows, EMBEDDED) };
}

/** Changes fields of documents. */
export async function update(
  engine: StorageEngine,
  index: string,
  documents: readonly unknown[],
): Promise<ItemsResponse> {
  const batch = await engine.prepareUpdate(index, toJson({ documents }));
  return batch.apply({ maxDocBytes: null, within: null });
}

export interface Item {
  readonly _id: string;
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly result?: string;
}

/** The items of an answer to an add, an update or a deletion. */
export function itemsOf({ body }: ItemsResponse): readonly Item[] {
  return fromJson<{ items: Item[] }>(body).items;
}

export interface Hit {
  readonly _id: string;
  readonly _score: number;
  readonly _highlights?: readonly Readonly<Record<string, string>>[];
  readonly [field: string]: unknown;
}

/** The hits of a search; `vectors` are the rows of its query, none without a tensor leg. */
export async function hitsOf(
  engine: StorageEngine,
  index: string,
  plan: SearchPlan,
  vectors: Float32Array = new Float32Array(0),
): Promise<readonly Hit[]> {
  return fromJson<{ hits: Hit[] }>(await engine.search(index, plan, vectors)).hits;
}

export const idsOf = (hits: readonly { readonly _id: string }[]): readonly string[] => hits.map(({ _id }) => _id);
