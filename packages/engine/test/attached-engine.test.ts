import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { InputBatch, Engine as NativeEngine } from '@pelorus/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aliasPromises } from '../conformance/aliases.js';
import { catalogue } from '../conformance/brute-force.js';
import { documentPromises } from '../conformance/documents.js';
import { faultPromises } from '../conformance/faults.js';
import {
  add,
  addOptions,
  definition,
  dimensions,
  embed,
  hitsOf,
  redefined,
  tensorPlan,
} from '../conformance/fixtures.js';
import { indexPromises } from '../conformance/indexes.js';
import { restartPromises } from '../conformance/restarts.js';
import type { EngineSource } from '../conformance/suite.js';
import { EmbeddedEngine, type IndexStates, type StorageEngine } from '../src/index.js';
import { openEngine } from './support.js';

/** Another handle of an engine, which follows the states of its indexes. */
function attachTo(engine: EmbeddedEngine): EmbeddedEngine {
  let states: IndexStates | undefined;
  engine.followStates((told) => {
    states = told;
  });
  return EmbeddedEngine.attach(engine.share(), () => states as IndexStates);
}

const ofOpener = ['createIndex', 'redefineIndex', 'dropIndex', 'close'] as const;

/** An engine whose indexes its opener changes, and whose documents are all read and written by who attached to it. */
function throughAttached(opener: EmbeddedEngine): StorageEngine {
  const changes = Object.fromEntries(
    ofOpener.map((name) => [name, (...given: [string, typeof definition]) => opener[name](...given)]),
  );
  const attached = attachTo(opener);
  return new Proxy<StorageEngine>(attached, {
    get(_, name) {
      if (name === 'aliases') return { ...attached.aliases, change: opener.aliases.change };
      const own = changes[String(name)] ?? Reflect.get(attached, name, attached);
      return typeof own === 'function' ? own.bind(attached) : own;
    },
  });
}

const directories = new WeakMap<StorageEngine, string>();

async function openIn(directory: string): Promise<StorageEngine> {
  const engine = throughAttached(await EmbeddedEngine.open(directory));
  directories.set(engine, directory);
  return engine;
}

const source: EngineSource = {
  open: async () => openIn(await mkdtemp(join(tmpdir(), 'pelorus-attached-'))),
  reopen: (closed) => openIn(directories.get(closed) as string),
  remove: async (engine) => {
    await engine.close();
    await rm(directories.get(engine) as string, { recursive: true, force: true });
  },
};

// The promises that hang on what one thread knows of the indexes of another; the rest is the same native code.
describe('an attached engine: indexes', () => indexPromises(source));
describe('an attached engine: aliases', () => aliasPromises(source));
describe('an attached engine: documents', () => documentPromises(source));
describe('an attached engine: faults', () => faultPromises(source));
describe('an attached engine: restarts', () => restartPromises(source));

describe('an engine of several threads', () => {
  const THREADS = 2;
  const BATCH = 16;

  it('is written to and searched by all at once, and answers each with what brute force over all finds', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    const products = await catalogue(320);
    const batches = Array.from({ length: products.length / BATCH }, (_, at) =>
      products.slice(at * BATCH, (at + 1) * BATCH).map((product) => ({ ...product, title: `${product.title} ${at}` })),
    );
    const workers = Array.from({ length: THREADS }, (_, thread) => {
      const worker = new Worker(new URL('./attached-worker.mjs', import.meta.url), {
        workerData: {
          ...{ token: engine.share(), index: 'products', addOptions, plan: tensorPlan, dimensions },
          batches: batches.filter((_, at) => at % THREADS === thread),
        },
      });
      onTestFinished(async () => void (await worker.terminate()));
      return worker;
    });
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    expect(await engine.stats('products')).toMatchObject({ numberOfDocuments: products.length });

    const oracle = await openEngine();
    await oracle.createIndex('products', definition);
    await add(oracle, 'products', batches.flat());
    for (const text of ['river stone', 'winter coat', 'green cloud', 'paper']) {
      const scores = (hits: readonly { _score: number }[]) => hits.map(({ _score }) => _score);
      const expected = scores(await hitsOf(oracle, 'products', tensorPlan, await embed(text)));
      for (const worker of workers) {
        const answered = once(worker, 'message');
        worker.postMessage(text);
        const { hits } = JSON.parse((await answered)[0]);
        expect(scores(hits)).toEqual(expected);
      }
    }
    const ended = workers.map((worker) => once(worker, 'exit'));
    for (const worker of workers) worker.postMessage(null);
    await Promise.all(ended);
    expect(await hitsOf(engine, 'products', tensorPlan, await embed('paper'))).toHaveLength(10);
  });

  it('is attached to once by each token', async () => {
    const engine = await openEngine();
    const token = engine.share();
    NativeEngine.attach(token);
    expect(() => NativeEngine.attach(token)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    const batch = InputBatch.of([{ kind: 'text', text: 'a' }]).handOver();
    expect(() => NativeEngine.attach(batch)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(InputBatch.attach(batch).count).toBe(1);
  });

  it('has one definition of an index for all as soon as a change of it is acknowledged', async () => {
    const engine = await openEngine();
    const attached = attachTo(engine);
    await engine.createIndex('products', definition);
    const first = await attached.definition('products');
    expect(await attached.definition('products')).toBe(first);
    await engine.redefineIndex('products', redefined('second'));
    expect((await attached.definition('products')).settings.modelProperties).toEqual({ note: 'second' });
    await engine.dropIndex('products');
    await expect(attached.definition('products')).rejects.toMatchObject({ code: 'index_not_found' });
  });

  it('leaves changes of indexes to the thread that opened it, and stays open when another lets go of it', async () => {
    const engine = await openEngine();
    const attached = attachTo(engine);
    await expect(attached.createIndex('products', definition)).rejects.toThrow(TypeError);
    await engine.createIndex('products', definition);
    await expect(attached.dropIndex('products')).rejects.toThrow(TypeError);
    await attached.close();
    expect(await engine.listIndexes()).toEqual(['products']);
  });
});
