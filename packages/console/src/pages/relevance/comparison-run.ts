import { type Pelorus, PelorusError } from '@pelorus/client';
import { type Failure, failureOf } from '../../server/failure.js';
import { noteKeyWanted } from '../../server/load.js';
import { session } from '../../server/session.js';
import { Store } from '../../store.js';
import { t } from '../../strings/strings.js';
import { type Configuration, searchOf } from './configuration.js';

/** The two sides of a comparison. */
export const SIDES = [0, 1] as const;
export type Side = (typeof SIDES)[number];

/** Both ways to search. */
type Sides = readonly [Configuration['first'], Configuration['second']];

/** The ids that a query found by both ways, the best first, or the reason that one found none. */
export type FoundIds = readonly [first: readonly string[], second: readonly string[]] | Failure;

/** All queries of a set by two ways to search, under way or over. */
export interface ComparisonRun {
  readonly set: string;
  readonly sides: Sides;
  /** Hits of each search. */
  readonly depth: number;
  readonly total: number;
  readonly done: number;
  /** By query, those that are done. The same object while it is under way. */
  readonly found: ReadonlyMap<string, FoundIds>;
  readonly end: 'running' | 'done' | 'stopped' | 'failed';
  readonly failure: Failure | undefined;
}

/** The comparison of this page: it goes on while other pages are looked at. */
export const comparing = new Store<ComparisonRun | undefined>(undefined);

/** Milliseconds between two tellings of how far a run is: the page has other work than to draw each query. */
const TOLD_EVERY_MS = 100;

/** Queries that are searched for at once, each by both ways. */
const QUERIES_AT_ONCE = 2;

let stopper = new AbortController();

/** Ends the run under way; what is found by then stays. */
export function stopComparison(): void {
  stopper.abort();
}

/** Searches for all queries by both ways, and tells the store how far it is. */
export async function runComparison(
  set: string,
  queries: readonly string[],
  sides: Sides,
  depth: number,
): Promise<void> {
  stopper.abort();
  const own = new AbortController();
  stopper = own;
  const { signal } = own;
  const { client } = session.value;
  const found = new Map<string, FoundIds>();
  let state: ComparisonRun = {
    ...{ set, sides, depth, total: queries.length, done: 0, found, end: 'running', failure: undefined },
  };
  const tell = (changes: Partial<ComparisonRun>) => {
    state = { ...state, ...changes };
    // Another run may have begun since this one was stopped.
    if (stopper === own) comparing.set(state);
  };
  tell({});
  let toldMs = performance.now();
  const tellOfProgress = () => {
    const nowMs = performance.now();
    if (nowMs - toldMs < TOLD_EVERY_MS) return;
    toldMs = nowMs;
    tell({ done: found.size });
  };
  const waiting = queries.values();
  const work = async (): Promise<void> => {
    for (const q of waiting) {
      try {
        found.set(q, await searchBoth(client, q, sides, depth, signal));
      } catch (error) {
        signal.throwIfAborted();
        // One query alone may be refused; where all are, the first one says why.
        if (endsAll(error) || ![...found.values()].some(Array.isArray)) throw error;
        found.set(q, toldFailure(error));
      }
      tellOfProgress();
      signal.throwIfAborted();
    }
  };
  try {
    await Promise.all(Array.from({ length: QUERIES_AT_ONCE }, work));
    tell({ done: found.size, end: 'done' });
  } catch (error) {
    if (signal.aborted) return tell({ done: found.size, end: 'stopped' });
    noteKeyWanted(reasonOf(error));
    tell({ done: found.size, end: 'failed', failure: toldFailure(error) });
    own.abort();
  }
}

/** A failure of a search, with the side that it is of. */
class SideError extends Error {
  readonly side: Side;
  readonly reason: unknown;

  constructor(side: Side, reason: unknown) {
    super(`The search of side ${side} failed`);
    this.side = side;
    this.reason = reason;
  }
}

const reasonOf = (error: unknown): unknown => (error instanceof SideError ? error.reason : error);

function toldFailure(error: unknown): Failure {
  const failure = failureOf(reasonOf(error));
  if (!(error instanceof SideError)) return failure;
  return { ...failure, message: t.relevance.sideFailed(t.relevance.sides[error.side], failure.message) };
}

/** Tells whether no other query would fare better: of the request itself a server says 400 or 422. */
function endsAll(error: unknown): boolean {
  const reason = reasonOf(error);
  return !(reason instanceof PelorusError) || (reason.status !== 400 && reason.status !== 422);
}

async function searchBoth(
  client: Pelorus,
  q: string,
  sides: Sides,
  depth: number,
  signal: AbortSignal,
): Promise<readonly [readonly string[], readonly string[]]> {
  const search = async (side: Side): Promise<readonly string[]> => {
    const { index, search: members } = sides[side];
    try {
      const { hits } = await client.index(index).search(searchOf(members, q, depth), { signal });
      return hits.map(({ _id }) => _id);
    } catch (reason) {
      throw new SideError(side, reason);
    }
  };
  return Promise.all([search(0), search(1)]);
}
