import { once } from 'node:events';
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import type { StorageEngine } from '@pelorus/engine';
import { type Inference, type InferenceCalls, inferenceCalls, type ModelFile } from '@pelorus/inference';
import type { KeySnapshot, ManagedKeys } from '@pelorus/keys';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.js';
import type { Problems } from '../host/health.js';
import { type CountersMemory, SharedCounters } from '../http/counters.js';
import { type SlowRequest, SlowRequests } from '../http/slow-requests.js';
import { SAMPLE_MAX_AGE_MS } from '../services/memory.js';
import type { Listening } from './loop-count.js';
import { BusyTime, figuresOf, type LoopFigure, type LoopFigures, type LoopTotal, totalsOf } from './loop-figures.js';
import type { PassedAnswer, PassedRequest } from './loop-server.js';
import { hung, loopName, silenceText, silentForLong, watchThisLoop } from './loop-watch.js';
import { Published, type Subscription } from './published.js';
import { answerCalls } from './thread-calls.js';

/** The data that the thread of an event loop begins with. */
export interface LoopStart {
  readonly config: Config;
  readonly modelFile: ModelFile | undefined;
  /** Its number; the first event loop is 1. */
  readonly number: number;
  readonly listening: Listening;
  /** The token of the engine; null where each loop opens one of its own, to the same indexes. */
  readonly token: number | null;
  /** The token of the cache of query vectors. */
  readonly queries: number;
  readonly states: Subscription;
  readonly keys: Subscription;
  readonly counters: CountersMemory;
  /** The secret by which calls are let in that a gateway granted; null where keys let them in. */
  readonly grantSecret: string | null;
  /** Bytes of models that do not count in the memory of the config. */
  readonly modelBytes: SharedArrayBuffer;
  /** Where the first event loop answers calls. */
  readonly calls: MessagePort;
}

/** The words of an event loop to the first: it listens, or its requests are all answered and it listens no more. */
export type LoopWord = 'listening' | 'drained';

/** An engine whose indexes several threads of this process read and write. */
export interface LoopEngine extends StorageEngine {
  /** A token with which one other thread attaches to it; null where such a thread opens one of its own. */
  share(): number | null;
  /** Tells the facts that engines of other threads need, now and before each call that changes an index is answered. */
  followStates(tell: (states: unknown) => void): void;
}

/** The parts that event loops have in common; they are of the thread that starts them. */
export interface SharedParts {
  readonly engine: LoopEngine;
  readonly inference: Inference;
  readonly keys: ManagedKeys;
  readonly config: Config;
  readonly modelFile: ModelFile | undefined;
  /** All event loops, the first among them. */
  readonly count: number;
  /** As in {@link LoopStart}; none when absent. */
  readonly grantSecret?: string;
  /** As in `ServerParts`. */
  readonly modelsApart?: boolean;
}

/** The calls that the first event loop answers to the others. */
export interface FirstLoopCalls extends InferenceCalls {
  /** Answers a request that the first loop alone can answer. */
  request(request: PassedRequest, signal: AbortSignal): Promise<PassedAnswer>;
  /** Notes that a key was used. */
  noteUse(id: string): void;
  noteSlow(request: SlowRequest): void;
  /** Writes a line to the log of the server. */
  log(line: string): void;
}

/**
 * The event loops of a server beside the first, each a thread with an HTTP server of its own. The engine, models, keys and
 * limits are one for all of them.
 */
export class HttpLoops implements LoopFigures {
  /** For the first event loop. */
  readonly counters: SharedCounters;
  readonly slowRequests = new SlowRequests();
  readonly #parts: SharedParts;
  readonly #states: Published<unknown>;
  readonly #keys: Published<KeySnapshot>;
  readonly #modelBytes = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  readonly #workers: Worker[] = [];
  readonly #busy = [new BusyTime()];
  #endWatches: (() => void)[] = [];
  #isEnding = false;

  constructor(parts: SharedParts) {
    const { engine, keys } = parts;
    this.#parts = parts;
    this.counters = new SharedCounters(SharedCounters.memoryFor(parts.count), 1);
    this.#states = publishedBy((tell) => engine.followStates(tell));
    this.#keys = publishedBy((tell) => keys.tellChanges(tell));
  }

  /**
   * Starts the event loops; resolves when all of them listen.
   * @param module that each runs, which begins with a {@link LoopStart}
   * @param listeningOf gives the place where a loop listens, by its number
   * @param app the server of the first event loop, which listens
   * @param log takes a line of the log of another
   * @param ended told once that a loop came to its end by itself; those that are left do not make up for it
   */
  async start(module: URL, { listeningOf, app, log, ended }: LoopSurroundings): Promise<void> {
    // A signal may have come while the first one began to listen.
    if (this.#isEnding) return;
    this.#shareModelBytes();
    const started = Array.from({ length: this.#parts.count - 1 }, async (_, at) => {
      const { port1: own, port2: calls } = new MessageChannel();
      answerCalls(own, firstLoopCalls(app, this.#parts, this.slowRequests, log));
      const [states, keys] = [this.#states.subscribe(), this.#keys.subscribe()];
      const { config, modelFile, engine, inference, grantSecret = null } = this.#parts;
      const start: LoopStart = {
        ...{ config, modelFile, number: at + 2, listening: listeningOf(at + 2), states, keys, calls, grantSecret },
        ...{ token: engine.share(), queries: inference.shareQueries(), counters: this.counters.memory },
        modelBytes: this.#modelBytes,
      };
      const transferList: Transferable[] = [states.port, keys.port, calls];
      const worker = new Worker(module, { name: `http-${at + 2}`, workerData: start, transferList });
      this.#workers.push(worker);
      this.#busy[at + 1] = new BusyTime(() => worker.performance.eventLoopUtilization());
      let reason = 'it ended';
      worker.on('error', (error) => {
        reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      });
      worker.once('exit', () => {
        own.close();
        if (!this.#isEnding) ended(`${loopName(at + 2)} is gone: ${reason}`);
      });
      await wordOf(worker, 'listening');
      return {
        name: loopName(at + 2),
        end: (why: string) => {
          reason = why;
          void worker.terminate();
        },
      };
    });
    this.#endWatches.push(this.#watch(await Promise.all(started)));
  }

  problems(): Problems {
    const silent = silentForLong(this.#parts.config);
    return silent.map((one) => ({ status: 'yellow', reason: `${silenceText(one)}.` }) as const);
  }

  figures(): LoopFigure[] {
    return figuresOf(this.counters, this.#busy);
  }

  totals(): LoopTotal[] {
    return totalsOf(this.counters, this.#busy);
  }

  /** Ends each of the loops that hangs, so that it is found gone; the process ends where the first one does. */
  #watch(loops: readonly { readonly name: string; readonly end: (why: string) => void }[]): () => void {
    const { config } = this.#parts;
    const timer = setInterval(() => {
      for (const silent of hung(config)) {
        loops.find(({ name }) => name === silent.name)?.end(silenceText(silent));
      }
    }, LOOK_MS).unref();
    const end = watchThisLoop(1, config);
    return () => {
      clearInterval(timer);
      end();
    };
  }

  /** Tells the other loops what models hold, as often as they look at the memory of the process. */
  #shareModelBytes(): void {
    const { inference, modelsApart = false } = this.#parts;
    if (!modelsApart) return;
    const shared = new BigInt64Array(this.#modelBytes);
    const tell = () => Atomics.store(shared, 0, BigInt(Math.round(inference.modelBytes())));
    tell();
    const timer = setInterval(tell, SAMPLE_MAX_AGE_MS).unref();
    this.#endWatches.push(() => clearInterval(timer));
  }

  /** Lets the loops answer the requests under way, and ends them. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    for (const end of this.#endWatches) end();
    await Promise.all(
      this.#workers.map(async (worker) => {
        if (worker.threadId === -1) return;
        const exited = once(worker, 'exit');
        worker.postMessage('drain');
        await exited;
      }),
    );
  }
}

/** Between two looks for loops that hang. */
const LOOK_MS = 1_000;

export interface LoopSurroundings {
  readonly listeningOf: (loop: number) => Listening;
  readonly app: FastifyInstance;
  readonly log: (line: string) => void;
  readonly ended: (reason: string) => void;
}

/** A value that is published whenever it is told; it is told once at the beginning. */
function publishedBy<Value>(follow: (tell: (value: Value) => void) => void): Published<Value> {
  let published: Published<Value> | undefined;
  follow((value) => {
    if (published === undefined) published = new Published(value);
    else published.publish(value);
  });
  return published as unknown as Published<Value>;
}

/** Resolves when a thread says a word; fails when it ends before. */
function wordOf(worker: Worker, expected: LoopWord): Promise<void> {
  return new Promise((resolve, reject) => {
    const onMessage = (word: LoopWord) => {
      if (word !== expected) return;
      worker.off('message', onMessage);
      resolve();
    };
    worker.on('message', onMessage);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`an HTTP thread ended before it was ${expected}`)));
  });
}

function firstLoopCalls(
  app: FastifyInstance,
  { inference, keys }: SharedParts,
  slowRequests: SlowRequests,
  log: (line: string) => void,
): FirstLoopCalls {
  return {
    ...inferenceCalls(inference),
    request: (request: PassedRequest, signal: AbortSignal) => answerPassedOn(app, request, signal),
    noteUse: (id: string) => keys.noteUse(id),
    noteSlow: slowRequests.note,
    log,
  };
}

async function answerPassedOn(
  app: FastifyInstance,
  { method, url, headers, body, address }: PassedRequest,
  signal: AbortSignal,
): Promise<PassedAnswer> {
  const response = await app.inject({
    ...{ method: method as 'GET', url, headers, remoteAddress: address, signal },
    ...(body !== null && { payload: Buffer.from(body.buffer, body.byteOffset, body.length) }),
  });
  return { status: response.statusCode, headers: response.headers, body: response.rawPayload };
}
