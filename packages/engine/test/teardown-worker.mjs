// Keeps calls of every kind in flight until it is terminated.
import { parentPort, workerData } from 'node:worker_threads';
import { beginCall, Engine, InputBatch, RequestBytes, randomVectors } from '@pelorus/node';

const { directory, definition, addOptions, plan, dimensions } = workerData;
const engine = await Engine.open(directory, Buffer.from('{}'));
await engine.createIndex('products', definition);

let next = 0;
async function addOne() {
  const document = { _id: `id-${next++}`, title: 'a title' };
  const body = Buffer.from(JSON.stringify({ documents: [document] }));
  const bytes = RequestBytes.withRoom(body.length);
  bytes.append(body);
  const batch = await engine.prepareAdd('products', bytes);
  const vectors = await randomVectors(await batch.prepare(addOptions), dimensions);
  await batch.apply(vectors, Buffer.from('{"failures":[],"parts":[]}'));
  parentPort.postMessage(document._id);
}

async function forever(call) {
  for (;;) await call();
}

const query = await randomVectors(InputBatch.of([{ kind: 'text', text: 'query' }]), dimensions);
for (let lane = 0; lane < 4; lane += 1) {
  forever(addOne);
  forever(() => engine.search('products', plan, query, beginCall(60_000)));
  forever(() => engine.stats('products'));
}
