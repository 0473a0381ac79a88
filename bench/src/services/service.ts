import type { Corpus, Filter, Gloss, GlossQuery } from './corpus.ts';
import type { Request } from './generator.ts';
import type { Scores } from './scored.ts';
import type { WireName } from './wire.ts';

/** The kinds of searches. */
export const WORKLOADS = ['kNN', 'kNN, a tenth passes', 'kNN, a hundredth passes', 'words', 'hybrid'] as const;
export type Workload = (typeof WORKLOADS)[number];

/** The documents that a workload searches; null for one whose answers are not those of an exact search. */
export const FILTERS: Record<Workload, Filter | null> = {
  kNN: 'none',
  'kNN, a tenth passes': 'category',
  'kNN, a hundredth passes': 'number',
  words: null,
  hybrid: null,
};

/** The graph that every service is to build. */
export interface GraphSettings {
  m: number;
  efConstruction: number;
}

/** A service with one index of glosses. Its process runs from `start` on. */
export interface Service {
  /** With its version. */
  readonly title: string;
  readonly wire: WireName;
  readonly port: number;
  /** The process that has all others below it. */
  readonly pid: number;
  /** The folder of its data. */
  readonly folder: string;
  /** Settings behind its figures, for a reader. */
  readonly note: string;
  /** Tells whether a search says how far it looks; ours by default decides itself. */
  readonly takesEffort: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Makes the empty index. */
  create(corpus: Corpus, graph: GraphSettings): Promise<void>;
  /** A request that adds glosses. */
  addition(glosses: readonly Gloss[]): Request;
  /** Fails where an addition was refused in part. */
  checkAdded(answer: Buffer): void;
  /** Brings the index to rest, with all added documents in it. */
  settle(): Promise<void>;
  /** Prepares an effort, where that is no part of a request. */
  tune(effort: number): Promise<void>;
  /** Requests that begin each connection. */
  greeting(effort: number): readonly Uint8Array[];
  /** The request of a search for the best ten, of which it wants ids and numbers; null for one that there is not. */
  search(workload: Workload, query: GlossQuery, effort: number): Request | null;
  /** Its second index, where scores can be changed by fields of documents. */
  readonly scores?: Scores;
  /** The ids of the hits, best first. */
  idsOf(answer: Buffer): number[];
}

/** A request that has one answer. */
export const single = (bytes: Uint8Array): Request => ({ bytes, answers: 1 });

/** Asks a service that speaks JSON. */
export async function json<T>(port: number, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return (text === '' ? null : JSON.parse(text)) as T;
}
