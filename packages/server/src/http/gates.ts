import { type Operation, type OperationId, operations, PelorusError } from '@pelorus/contract';
import { type Config, settings } from '../config.js';
import type { Memory } from '../host/memory.js';
import { BodyBudget } from './body-budget.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { Turns } from './turns.js';

/** Answered whatever else waits: these ask whether the server is alive. */
const WITHOUT_TURN: ReadonlySet<OperationId> = new Set(['getRoot', 'getHealth']);

/** These fill memory. */
const FILLING: ReadonlySet<OperationId> = new Set([
  'addDocuments',
  'addOrUpdateDocuments',
  'updateDocuments',
  'indexQueries',
]);

/** What stands between a request and its handler, in the order in which it is asked. */
export class Gates {
  /** Asked before a body is read. */
  readonly bodies: BodyBudget;
  readonly #config: Config;
  readonly #memory: Memory;
  readonly #places: { readonly [Id in OperationId]?: ConcurrencyLimit };
  readonly #turns = new Turns();

  constructor(config: Config, memory: Memory) {
    const limit = (kind: string, countMax: number) =>
      new ConcurrencyLimit(kind, config.throttling ? countMax : Number.POSITIVE_INFINITY);
    const searches = limit('SEARCH', config.searchesAtOnceMax);
    const adds = limit('INDEX', config.addsAtOnceMax);
    this.bodies = new BodyBudget(memory.bodiesBytesMax);
    this.#config = config;
    this.#memory = memory;
    this.#places = {
      addDocuments: adds,
      addOrUpdateDocuments: adds,
      updateDocuments: limit('PARTIAL_UPDATE', config.updatesAtOnceMax),
      search: searches,
      recommend: searches,
      embed: searches,
      suggest: searches,
    };
  }

  /**
   * @throws PelorusError `forbidden` for an operation that the operator did not switch on, `insufficient_memory` for one
   *   that fills memory, when there is no room
   */
  atHead(id: OperationId): void {
    const { switch: name }: Operation = operations[id];
    if (name !== null && !this.#config[name]) throw new SwitchedOffError(settings[name].env);
    if (FILLING.has(id)) this.#memory.requireRoom();
  }

  /**
   * Runs the work of a request whose body is there: with a place, if its kind is counted, and in its turn.
   * @throws PelorusError `too_many_requests` at once when all places are taken
   */
  pass<Result>(id: OperationId, work: () => Promise<Result>): Promise<Result> {
    const inTurn = WITHOUT_TURN.has(id) ? work : () => this.#inTurn(work);
    return this.#places[id]?.run(inTurn) ?? inTurn();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.take();
    return turn === undefined ? work() : turn.then(work);
  }
}

/** What a client of this interface reads in `detail`. */
class SwitchedOffError extends PelorusError {
  override readonly name = 'SwitchedOffError';

  constructor(variable: string) {
    super('forbidden', `This API endpoint is disabled. Please set ${variable} to true to enable it.`);
  }

  override toBody(): Record<string, unknown> {
    return { detail: this.message, ...super.toBody() };
  }
}
