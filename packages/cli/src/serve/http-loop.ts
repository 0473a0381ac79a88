// An event loop beside the first one of a server: the module of its thread.

import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedEngine, type IndexStates } from '@pelorus/engine';
import { createRemoteInference } from '@pelorus/inference';
import { KeyView } from '@pelorus/keys';
import {
  createLog,
  createLoopServer,
  type FirstLoopCalls,
  Followed,
  type LoopStart,
  type LoopWord,
  listening,
  type PlacedKeys,
  SharedCounters,
  ThreadCalls,
  watchThisLoop,
} from '@pelorus/server';
import { drain } from './drain.js';

const { config, modelFile, number, count, port, token, queries, states, keys, counters, calls } =
  workerData as LoopStart;
const first = new ThreadCalls<FirstLoopCalls>(calls);
const indexStates = new Followed<IndexStates>(states);
const placedKeys = new Followed<PlacedKeys>(keys);
const say = (word: LoopWord): void => parentPort?.postMessage(word);

const server = createLoopServer({
  engine: EmbeddedEngine.attach(token, () => indexStates.value),
  inference: createRemoteInference(
    { encoder: config.encoder, ...(modelFile !== undefined && { modelFile }) },
    queries,
    {
      embed: (asked, signal) => first.call('embed', asked, signal),
      embedQuery: (asked, signal) => first.call('embedQuery', asked, signal),
      locate: (asked, signal) => first.call('locate', asked, signal),
      noteModelUse: (model) => first.tell('noteModelUse', model),
    },
  ),
  keys: new KeyView(
    () => placedKeys.value.keys,
    (id) => first.tell('noteUse', id),
  ),
  config,
  counters: new SharedCounters(counters, (owner) => placedKeys.value.places.get(owner)),
  log: createLog(config, { write: (line) => first.tell('log', line) }).child({ httpThread: number }),
  passOn: (request, signal) => first.call('request', request, signal),
});

const endWatch = watchThisLoop(number, config);

await server.listen(listening(config, port, count));
say('listening');
// One that came before waits until now: what does not listen yet could not be ended.
parentPort?.once('message', async () => {
  await drain(server.server, () => server.close());
  say('drained');
  endWatch();
  for (const end of [first, indexStates, placedKeys]) end.close();
  parentPort?.close();
});
