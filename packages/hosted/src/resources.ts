/** What an index may use of the machine, in the words of the control plane. */
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

/** Memory of one shard, in bytes. */
const storageClasses = {
  'svc.basic': GIB,
  'svc.balanced.storage': 2 * GIB,
  'svc.balanced.throughput': 4 * GIB,
  'svc.performance': 8 * GIB,
} as const;

/** Threads of one inference node. Each has a copy of the model of its own. */
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

/** What the process of an index is held to. */
export interface ProcessLimits {
  readonly memoryBytes: number;
  readonly searchesAtOnce: number;
  /** Threads that run models, each with a copy of the model. None where the index is not to be called. */
  readonly inferenceThreads: number;
}

export function limitsOf(resources: Resources): ProcessLimits {
  return {
    memoryBytes: storageClasses[resources.storageClass] * resources.numberOfShards,
    searchesAtOnce: SEARCHES_PER_COPY * (1 + resources.numberOfReplicas),
    inferenceThreads: inferenceTypes[resources.inferenceType] * resources.numberOfInferences,
  };
}
