import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH } from '../paths.ts';

/** The plan of the vector bench: `definitions/vector.json` in one of its sizes. */
export interface Plan {
  k: number;
  m: number;
  efConstruction: number;
  buildThreads: number;
  /** Recalls at which rates are compared. */
  recalls: number[];
  /** The recall that a filtered search has to reach. */
  filteredRecall: number;
  rounds: number;
  /** Efforts of the recall curve, ascending. */
  efs: number[];
  passRates: number[];
  /** Queries of a filtered pass, and of others that take long. */
  filteredQueries: number;
  streaming: { writesPerSecond: number; seconds: number };
  churn: { generations: number; share: number };
  /** A pass that takes longer ends an engine's curve. */
  passSecondsMax: number;
  sets: NamedSet[];
  /** Names of the peers' drivers, in the order in which they are built. */
  engines: string[];
}

export interface SetDefinition {
  title: string;
  seed: number;
  dim: number;
  queries: number;
  source: { kind: string };
}

export type NamedSet = SetDefinition & { name: string };
export type Size = 'quick' | 'full' | 'million';

type Sized = Pick<Plan, 'efs' | 'passRates' | 'filteredQueries' | 'streaming' | 'passSecondsMax' | 'engines'>;

interface Definition extends Omit<Plan, keyof Sized | 'sets'> {
  sets: Record<string, SetDefinition>;
  sizes: Record<Size, Sized & { sets: string[] }>;
}

export function readDefinition<T>(name: string): T {
  return JSON.parse(readFileSync(join(BENCH, 'definitions', `${name}.json`), 'utf8')) as T;
}

/**
 * @param only a set to measure instead of the size's own.
 * @param peers drivers to measure instead of the size's own.
 */
export function readPlan(size: Size, only: string | null = null, peers: string[] | null = null): Plan {
  const { sizes, sets, ...rest } = readDefinition<Definition>('vector');
  const { sets: names, ...sized } = sizes[size];
  const wanted = only === null ? names : [only];
  const engines = peers ?? sized.engines;
  return { ...rest, ...sized, engines, sets: wanted.map((name) => named(sets, name)) };
}

function named(sets: Record<string, SetDefinition>, name: string): NamedSet {
  const set = sets[name];
  if (set === undefined) throw new Error(`${name} is none of ${Object.keys(sets).join(', ')}`);
  return { ...set, name };
}
