import { type ErrorCode, errorCodes, type OperationId, operations } from '@pelorus/contract';
import { SEARCH_STAGES, type Stage, WRITE_STAGES } from '../http/stages.js';

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

/** As {@link LATENCY_BOUNDS_S}, of stages, of which some take microseconds. */
export const STAGE_BOUNDS_S = [0.000_05, 0.000_1, 0.000_25, ...LATENCY_BOUNDS_S] as const;

const STAGES = [
  ...SEARCH_STAGES.map((name) => ({ kind: 'search', name }) as const),
  ...WRITE_STAGES.map((name) => ({ kind: 'write', name }) as const),
];
const STAGE_AT: ReadonlyMap<string, number> = new Map(STAGES.map(({ kind, name }, at) => [`${kind} ${name}`, at]));
const ERROR_AT: ReadonlyMap<string, number> = new Map(errorCodes.map((code, at) => [code, at]));

const GROUPS = LATENCY_BOUNDS_S.length + 1;
const STAGE_GROUPS = STAGE_BOUNDS_S.length + 1;
/** A row holds a sum of seconds, requests by group of latency, and requests by status code. */
const ROW = 1 + GROUPS + CODES.length;
/** A row of a stage holds a sum of seconds, and stages by group. */
const STAGE_ROW = 1 + STAGE_GROUPS;
/** Behind the rows of operations come those of stages, and behind these the errors by code. */
const STAGES_START = OPERATIONS.length * ROW;
const ERRORS_START = STAGES_START + STAGES.length * STAGE_ROW;
const LENGTH = ERRORS_START + errorCodes.length;

/** The requests of one operation that were answered since the server started. */
export interface RequestFigure {
  readonly operation: OperationId | typeof UNROUTED;
  readonly seconds: number;
  /** By group of latency: not summed up, one more than there are bounds. */
  readonly byLatency: readonly number[];
  /** By status code, those that occurred. */
  readonly byStatus: ReadonlyMap<number, number>;
}

/** The times of a stage since the server started. */
export interface StageFigure extends Pick<Stage, 'kind' | 'name'> {
  readonly seconds: number;
  /** As of {@link RequestFigure}, by {@link STAGE_BOUNDS_S}. */
  readonly byLatency: readonly number[];
}

/**
 * Counts answered requests by operation, latency and status, their stages, and their errors by code. Each event loop writes numbers of its own in memory that all
 * share, so that none waits for another.
 */
export class RequestFigures {
  readonly memory: SharedArrayBuffer;
  readonly #all: Float64Array<SharedArrayBuffer>;
  readonly #own: Float64Array<SharedArrayBuffer>;

  /** @param loop the event loop that counts; the first is 1 */
  constructor(memory: SharedArrayBuffer = RequestFigures.memoryFor(1), loop = 1) {
    this.memory = memory;
    this.#all = new Float64Array(memory);
    this.#own = this.#all.subarray((loop - 1) * LENGTH, loop * LENGTH);
  }

  static memoryFor(loops: number): SharedArrayBuffer {
    return new SharedArrayBuffer(loops * LENGTH * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Counts a request. */
  record(operation: OperationId | undefined, status: number, ms: number): void {
    const row = (ROW_OF.get(operation ?? UNROUTED) as number) * ROW;
    this.#recordTime(row, LATENCY_BOUNDS_S, ms);
    this.#add(row + 1 + GROUPS + codeAt(status), 1);
  }

  /** Counts the stages of a request. */
  recordStages(stages: readonly Stage[]): void {
    for (const { kind, name, startMs, endMs } of stages) {
      const row = STAGES_START + (STAGE_AT.get(`${kind} ${name}`) as number) * STAGE_ROW;
      this.#recordTime(row, STAGE_BOUNDS_S, endMs - startMs);
    }
  }

  /** Counts an answer that is an error. */
  recordError(code: ErrorCode): void {
    this.#add(ERRORS_START + (ERROR_AT.get(code) as number), 1);
  }

  /** The sums of all event loops, of operations that were called. */
  all(): RequestFigure[] {
    return OPERATIONS.flatMap((operation, at) => {
      const row = this.#sumOf(at * ROW, ROW);
      const byLatency = row.slice(1, 1 + GROUPS);
      if (byLatency.every((count) => count === 0)) return [];
      const counts = row.slice(1 + GROUPS).map((count, code) => [CODES[code] as number, count] as const);
      const byStatus = new Map(counts.filter(([, count]) => count > 0));
      return [{ operation: operation as RequestFigure['operation'], seconds: row[0] as number, byLatency, byStatus }];
    });
  }

  /** The same of stages that there were. */
  stages(): StageFigure[] {
    return STAGES.flatMap(({ kind, name }, at) => {
      const [seconds = 0, ...byLatency] = this.#sumOf(STAGES_START + at * STAGE_ROW, STAGE_ROW);
      return byLatency.every((count) => count === 0) ? [] : [{ kind, name, seconds, byLatency }];
    });
  }

  /** The number of answers by the code of their error, of those that occurred. */
  errors(): [code: ErrorCode, count: number][] {
    const counts = this.#sumOf(ERRORS_START, errorCodes.length);
    return errorCodes.flatMap((code, at) => (counts[at] === 0 ? [] : [[code, counts[at] as number]]));
  }

  #recordTime(row: number, bounds: readonly number[], ms: number): void {
    const seconds = ms / 1000;
    let group = 0;
    while (group < bounds.length && seconds > (bounds[group] as number)) group += 1;
    this.#add(row, seconds);
    this.#add(row + 1 + group, 1);
  }

  #add(at: number, amount: number): void {
    this.#own[at] = (this.#own[at] as number) + amount;
  }

  /** The sums of `length` numbers from `first` on, over all event loops. */
  #sumOf(first: number, length: number): number[] {
    const sum = new Array<number>(length).fill(0);
    for (let start = first; start < this.#all.length; start += LENGTH)
      for (let at = 0; at < length; at += 1) sum[at] = (sum[at] as number) + (this.#all[start + at] as number);
    return sum;
  }
}

function codeAt(status: number): number {
  const hundred = Math.min(5, Math.max(2, Math.floor(status / 100))) * 100;
  return (CODE_AT.get(status) ?? CODE_AT.get(hundred)) as number;
}
