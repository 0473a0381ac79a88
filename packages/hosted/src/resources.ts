/** The share of the machine that an index may use, in the words of the control plane. */
export interface Resources {
  readonly storageClass: StorageClass;
  readonly inferenceType: InferenceType;
  readonly numberOfShards: number;
  readonly numberOfReplicas: number;
  readonly numberOfInferences: number;
}

export type StorageClass = keyof typeof storageClasses;
export type InferenceType = keyof typeof inferenceTypes;

const GIB = 2 ** 30;
/** Bytes of a unit of model memory, as models have their sizes. */
const MODEL_UNIT_BYTES = 1e9;

/** Share of its memory above which a process is ended: its engine refuses documents from three quarters on. */
const MEMORY_SHARE_MAX = 1.25;

/** Memory of one shard, in bytes, for documents; models may have as much again. */
const storageClasses = {
  'svc.basic': GIB,
  'svc.balanced.storage': 2 * GIB,
  'svc.balanced.throughput': 4 * GIB,
  'svc.performance': 8 * GIB,
} as const;

/** Threads of one inference node. Each has a copy of the model of its own, where there is room. */
const inferenceTypes = { 'svc.CPU.small': 1, 'svc.CPU.large': 2, 'svc.GPU': 1 } as const;

/** Words of older clients for the same. */
const storageAliases: Readonly<Record<string, StorageClass>> = { 'svc.balanced': 'svc.balanced.storage' };

/** Searches that one copy of an index serves at once: a replica is another copy's worth. */
const SEARCHES_PER_COPY = 256;

export const defaultResources: Resources = {
  storageClass: 'svc.basic',
  inferenceType: 'svc.CPU.small',
  numberOfShards: 1,
  numberOfReplicas: 0,
  numberOfInferences: 1,
};

/** The storage class of a word, `marqo.basic`, `svc.basic` or `BASIC` for one; undefined for any other word. */
export function storageClassOf(word: string): StorageClass | undefined {
  const known = `svc.${word.replace(/^(svc|marqo)\./i, '').toLowerCase()}`;
  return Object.hasOwn(storageClasses, known) ? (known as StorageClass) : storageAliases[known];
}

/** The inference type of a word, `marqo.CPU.large`, `svc.CPU.large` or `CPU.LARGE` for one. */
export function inferenceTypeOf(word: string): InferenceType | undefined {
  const wanted = `svc.${word.replace(/^(svc|marqo)\./i, '')}`.toLowerCase();
  const known = wanted === 'svc.cpu' ? 'svc.cpu.small' : wanted;
  return (Object.keys(inferenceTypes) as InferenceType[]).find((type) => type.toLowerCase() === known);
}

export const storageClassNames = Object.keys(storageClasses) as readonly StorageClass[];
export const inferenceTypeNames = Object.keys(inferenceTypes) as readonly InferenceType[];

/** `svc.balanced.storage` as list records have it: `BALANCED.STORAGE`. */
export function shortForm(word: StorageClass | InferenceType): string {
  return word.slice('svc.'.length).toUpperCase();
}

/** The limits of the process of an index. */
export interface ProcessLimits {
  /** For documents, and all but models. */
  readonly memoryBytes: number;
  /** For models with all their copies, about one per gigabyte. */
  readonly modelMemory: number;
  readonly searchesAtOnce: number;
  /** Threads that run models, with as many copies of the model as there is room for. None where the index is not to be called. */
  readonly inferenceThreads: number;
}

/** @param modelMemoryMax what the operator allows the models of one process */
export function limitsOf(resources: Resources, modelMemoryMax: number): ProcessLimits {
  const memoryBytes = storageClasses[resources.storageClass] * resources.numberOfShards;
  return {
    memoryBytes,
    modelMemory: Math.min(memoryBytes / MODEL_UNIT_BYTES, modelMemoryMax),
    searchesAtOnce: SEARCHES_PER_COPY * (1 + resources.numberOfReplicas),
    inferenceThreads: inferenceTypes[resources.inferenceType] * resources.numberOfInferences,
  };
}

/** Bytes that the process of an index may hold in all before it is ended: a quarter more than it is held to. */
export function processBytesMax({ memoryBytes, modelMemory }: ProcessLimits): number {
  return MEMORY_SHARE_MAX * (memoryBytes + modelMemory * MODEL_UNIT_BYTES);
}
