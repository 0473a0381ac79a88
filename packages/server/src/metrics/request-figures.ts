import { type OperationId, operations } from '@pelorus/contract';

/** Upper bounds of the groups of latencies, in seconds; the last group has none. */
export const LATENCY_BOUNDS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/** Status codes that are told apart; all others of a hundred are told as its first. */
const STATUSES = [200, 204, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 504] as const;
const HUNDREDS = [200, 300, 400, 500] as const;
const CODES: readonly number[] = [...new Set([...STATUSES, ...HUNDREDS])].sort((a, b) => a - b);

/** Stands for requests that no operation answers. */
export const UNROUTED = 'none';

const OPERATIONS: readonly string[] = [...Object.keys(operations), UNROUTED];
const ROW_OF: ReadonlyMap<string, number> = new Map(OPERATIONS.map((name, at) => [name, at]));
const CODE_AT: ReadonlyMap<number, number> = new Map(CODES.map((code, at) => [code, at]));

const GROUPS = LATENCY_BOUNDS_S.length + 1;
/** A row holds a sum of seconds, requests by group of latency, and requests by status code. */
const ROW = 1 + GROUPS + CODES.length;

/** The requests of one operation that were answered since the server started. */
export interface RequestFigure {
  readonly operation: OperationId | typeof UNROUTED;
  readonly seconds: number;
  /** By group of latency: not summed up, one more than there are bounds. */
  readonly byLatency: readonly number[];
  /** By status code, those that occurred. */
  readonly byStatus: ReadonlyMap<number, number>;
}

/**
 * Counts answered requests by operation, latency and status. Each event loop writes numbers of its own in memory that all
 * share, so that none waits for another.
 */
export class RequestFigures {
  readonly memory: SharedArrayBuffer;
  readonly #all: Float64Array<SharedArrayBuffer>;
  readonly #own: Float64Array<SharedArrayBuffer>;

  /** @param loop the event loop that counts; the first is 1 */
  constructor(memory: SharedArrayBuffer = RequestFigures.memoryFor(1), loop = 1) {
    const length = OPERATIONS.length * ROW;
    this.memory = memory;
    this.#all = new Float64Array(memory);
    this.#own = this.#all.subarray((loop - 1) * length, loop * length);
  }

  static memoryFor(loops: number): SharedArrayBuffer {
    return new SharedArrayBuffer(loops * OPERATIONS.length * ROW * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Counts a request. */
  record(operation: OperationId | undefined, status: number, ms: number): void {
    const row = (ROW_OF.get(operation ?? UNROUTED) as number) * ROW;
    const seconds = ms / 1000;
    let group = 0;
    while (group < LATENCY_BOUNDS_S.length && seconds > (LATENCY_BOUNDS_S[group] as number)) group += 1;
    this.#add(row, seconds);
    this.#add(row + 1 + group, 1);
    this.#add(row + 1 + GROUPS + codeAt(status), 1);
  }

  /** The sums of all event loops, of operations that were called. */
  all(): RequestFigure[] {
    return OPERATIONS.flatMap((operation, at) => {
      const row = this.#sumOf(at);
      const byLatency = row.slice(1, 1 + GROUPS);
      if (byLatency.every((count) => count === 0)) return [];
      const counts = row.slice(1 + GROUPS).map((count, code) => [CODES[code] as number, count] as const);
      const byStatus = new Map(counts.filter(([, count]) => count > 0));
      return [{ operation: operation as RequestFigure['operation'], seconds: row[0] as number, byLatency, byStatus }];
    });
  }

  #add(at: number, amount: number): void {
    this.#own[at] = (this.#own[at] as number) + amount;
  }

  #sumOf(operation: number): number[] {
    const sum = new Array<number>(ROW).fill(0);
    for (let start = operation * ROW; start < this.#all.length; start += OPERATIONS.length * ROW)
      for (let at = 0; at < ROW; at += 1) sum[at] = (sum[at] as number) + (this.#all[start + at] as number);
    return sum;
  }
}

function codeAt(status: number): number {
  const hundred = Math.min(5, Math.max(2, Math.floor(status / 100))) * 100;
  return (CODE_AT.get(status) ?? CODE_AT.get(hundred)) as number;
}
