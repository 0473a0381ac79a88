// An event loop beside the first one of a server: the module of its thread.

import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedEngine, type IndexStates, type StorageEngine } from '@pelorus/engine';
import { createRemoteInference } from '@pelorus/inference';
import { type KeySnapshot, KeyView } from '@pelorus/keys';
import {
  createLoopServer,
  createPassingLog,
  type FirstLoopCalls,
  Followed,
  grantedAccess,
  type LoopStart,
  type LoopWord,
  openTracing,
  SharedCounters,
  ThreadCalls,
  watchThisLoop,
} from '@pelorus/server';
import { drain } from './drain.js';

const { config, modelFile, number, listening, token, queries, states, keys, counters, calls, grantSecret } =
  workerData as LoopStart;
const modelBytes = new BigInt64Array((workerData as LoopStart).modelBytes);
const first = new ThreadCalls<FirstLoopCalls>(calls);
const indexStates = new Followed<unknown>(states);
const snapshot = new Followed<KeySnapshot>(keys);
const say = (word: LoopWord): void => parentPort?.postMessage(word);

/** The engine of the first loop, or another one to the same cluster. */
async function attachedEngine(): Promise<StorageEngine> {
  if (token !== null) return EmbeddedEngine.attach(token, () => indexStates.value as IndexStates);
  const { attachToCluster } = await import('./cluster.js');
  return attachToCluster(config, () => indexStates.value as number);
}

const engine = await attachedEngine();
const log = createPassingLog(config, { write: (line) => first.tell('log', line) }).child({ httpThread: number });
const server = createLoopServer({
  engine,
  inference: createRemoteInference(
    { encoder: config.encoder, ...(modelFile !== undefined && { modelFile }) },
    queries,
    {
      embed: (asked, signal) => first.call('embed', asked, signal),
      embedQuery: (asked, signal) => first.call('embedQuery', asked, signal),
      locate: (asked, signal) => first.call('locate', asked, signal),
      score: (asked, signal) => first.call('score', asked, signal),
      fieldVectors: (asked, signal) => first.call('fieldVectors', asked, signal),
      noteModelUse: (model) => first.tell('noteModelUse', model),
    },
  ),
  keys: new KeyView(
    () => snapshot.value,
    (id) => first.tell('noteUse', id),
  ),
  config,
  ...(grantSecret !== null && { access: grantedAccess(grantSecret), docs: false }),
  counters: new SharedCounters(counters, number),
  modelBytes: () => Number(Atomics.load(modelBytes, 0)),
  log,
  tracing: await openTracing(config, log),
  noteSlow: (request) => first.tell('noteSlow', request),
  passOn: (request, signal) => first.call('request', request, signal),
});

const endWatch = watchThisLoop(number, config);

await server.listen(listening);
say('listening');
// One that came before waits until now: what does not listen yet could not be ended.
parentPort?.once('message', async () => {
  await drain(server.server, () => server.close());
  if (token === null) await engine.close();
  say('drained');
  endWatch();
  for (const end of [first, indexStates, snapshot]) end.close();
  parentPort?.close();
});
