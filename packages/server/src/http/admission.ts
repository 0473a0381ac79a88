import type { ServerResponse } from 'node:http';
import { type Operation, type OperationId, operations, PelorusError } from '@pelorus/contract';
import { type Config, settings } from '../config.js';
import type { Memory } from '../services/memory.js';
import { AnswerSizes } from './answer-sizes.js';
import { ByteBudget, type ByteLease } from './byte-budget.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { type Counter, type Counters, LocalCounters } from './counters.js';
import { EventLoopBudget } from './event-loop-budget.js';

type Load = Operation['load'];

const FILLING: ReadonlySet<Load> = new Set(['add', 'update', 'fill']);

/**
 * Tells whether an operation has changed something once its answer is there. Such an answer is never refused: a client
 * that sends the call again would change it twice.
 */
export const isChange = ({ method, scope }: Operation): boolean =>
  method !== 'GET' && scope !== 'read' && scope !== 'none';

/** The request by which the size of an answer is foreseen, and its owner. */
interface Asked {
  readonly index: string | undefined;
  /** As `itemsAskedFor` counts them. */
  readonly items: number;
  readonly owner: string | undefined;
  readonly response: ServerResponse;
}

/** The limits between a request and its handler, in the order in which they are asked. */
export class Admission {
  /** Asked before a body is read. */
  readonly bodies: ByteBudget;
  /** Bytes that answers hold, from before they are made until they are sent. */
  readonly answers: ByteBudget;
  readonly #always = new ByteBudget('answer', Number.POSITIVE_INFINITY);
  readonly #sizes = new AnswerSizes();
  readonly #config: Config;
  readonly #memory: Memory;
  readonly #places: { readonly [Kind in Load]?: ConcurrencyLimit };
  readonly #eventLoop = new EventLoopBudget();
  readonly #searches: Counter;

  /** @param counters one for all event loops of a server */
  constructor(config: Config, memory: Memory, counters: Counters = new LocalCounters()) {
    const limit = (kind: string, countMax: number, name: 'search' | 'add' | 'update') =>
      new ConcurrencyLimit(kind, config.throttling ? countMax : Number.POSITIVE_INFINITY, counters.counter(name));
    this.bodies = new ByteBudget('body', memory.bodiesBytesMax, counters);
    this.answers = new ByteBudget('answer', memory.answersBytesMax, counters);
    this.#config = config;
    this.#memory = memory;
    this.#searches = counters.answered('searches');
    this.#places = {
      search: limit('SEARCH', config.searchesAtOnceMax, 'search'),
      add: limit('INDEX', config.addsAtOnceMax, 'add'),
      update: limit('PARTIAL_UPDATE', config.updatesAtOnceMax, 'update'),
    };
  }

  /**
   * @throws PelorusError `forbidden` for an operation that the operator did not switch on, `insufficient_memory` for one
   *   that fills memory, when there is no room
   */
  atHead(id: OperationId): void {
    const { switch: name, load }: Operation = operations[id];
    if (name !== null && !this.#config[name]) throw new SwitchedOffError(settings[name].env);
    if (FILLING.has(load)) this.#memory.requireRoom();
  }

  /**
   * Runs the work of a request whose body is there: with a place, if its kind is counted, and in its turn.
   * @throws PelorusError `too_many_requests` at once when all places are taken
   */
  pass<Result>(id: OperationId, work: () => Promise<Result>): Promise<Result> {
    const { load }: Operation = operations[id];
    if (load === 'search') this.#searches.add(1);
    // Behind other work, a probe would be late where the server is busy, and the server held for dead.
    const inTurn = load === 'probe' ? work : () => this.#inTurn(work);
    return this.#places[load]?.run(inTurn) ?? inTurn();
  }

  /**
   * Runs the work of a request that has its place, with up to `countMax` more places of its kind, those that are free. It
   * is told how many.
   */
  withFreePlaces<Result>(id: OperationId, countMax: number, work: (count: number) => Promise<Result>): Promise<Result> {
    const { load }: Operation = operations[id];
    return this.#places[load]?.withFree(countMax, work) ?? work(countMax);
  }

  /** The lease of an answer, of no bytes yet. Whoever asks for one must release it. */
  answerLease(id: OperationId, owner: string | undefined): ByteLease {
    const { load }: Operation = operations[id];
    return (load === 'probe' ? this.#always : this.answers).lease(owner);
  }

  /**
   * Makes an answer, which counts as bytes of `owner` from before it is made until its response is over. How large it will
   * be is expected by the answers before it; of one that is made in parts, by these.
   * @throws PelorusError `too_many_requests` where the answers under way leave too little room; after a change never
   */
  async answer<Made extends { readonly bytes: Buffer | null }>(
    id: OperationId,
    { index, items, owner, response }: Asked,
    make: (parts: AnswerParts) => Made | Promise<Made>,
  ): Promise<Made> {
    const lease = this.answerLease(id, owner);
    try {
      const expected = this.#sizes.expected(id, index, items);
      lease.resize(expected);
      const made = await make(new AnswerParts(lease, this.#sizes, expected));
      const bytes = made.bytes?.length ?? 0;
      this.#sizes.note(id, index, items, bytes);
      if (isChange(operations[id])) lease.take(bytes);
      else lease.resize(bytes);
      releaseAfter(response, lease);
      return made;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#eventLoop.take();
    return turn === undefined ? work() : turn.then(work);
  }
}

/** The answers of other operations that one answer is made of. */
export class AnswerParts {
  readonly #lease: ByteLease;
  readonly #sizes: AnswerSizes;
  /** Bytes that the whole is expected to have. */
  readonly #expected: number;
  #bytes = 0;

  constructor(lease: ByteLease, sizes: AnswerSizes, expected: number) {
    this.#lease = lease;
    this.#sizes = sizes;
    this.#expected = expected;
  }

  /**
   * Makes a part, which counts from before it is made, as the answer that it would be by itself.
   * @throws PelorusError `too_many_requests` where the answers under way leave too little room; the other parts stay
   */
  async make(id: OperationId, index: string, items: number, work: () => Promise<Buffer>): Promise<Buffer> {
    const expected = this.#sizes.expected(id, index, items);
    this.#grow(expected);
    try {
      const made = await work();
      this.#sizes.note(id, index, items, made.length);
      if (made.length > expected) this.#grow(made.length - expected);
      else this.#shrink(expected - made.length);
      return made;
    } catch (error) {
      this.#shrink(expected);
      throw error;
    }
  }

  #grow(bytes: number): void {
    this.#lease.resize(Math.max(this.#expected, this.#bytes + bytes));
    this.#bytes += bytes;
  }

  #shrink(bytes: number): void {
    this.#bytes -= bytes;
    this.#lease.shrink(Math.max(this.#expected, this.#bytes));
  }
}

/** Gives the bytes of an answer back once it is sent, or nobody is there to take it. */
export function releaseAfter(response: ServerResponse, lease: ByteLease): void {
  const release = () => lease.release();
  response.on('finish', release).on('close', release);
  // A response whose client is gone tells of neither any more.
  if (response.destroyed) lease.release();
}

/** The refusal that clients of this interface read in `detail`. */
class SwitchedOffError extends PelorusError {
  override readonly name = 'SwitchedOffError';

  constructor(variable: string) {
    super('forbidden', `This API endpoint is disabled. Please set ${variable} to true to enable it.`);
  }

  override toBody(): Record<string, unknown> {
    return { detail: this.message, ...super.toBody() };
  }
}
