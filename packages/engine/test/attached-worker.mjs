// Attaches to an engine by a token, adds documents batch by batch, searching between them, and answers searches it is sent.
import { parentPort, workerData } from 'node:worker_threads';
import { beginCall, Engine, InputBatch, RequestBytes, randomVectors } from '@pelorus/node';

const { token, index, batches, addOptions, plan, dimensions } = workerData;
const engine = Engine.attach(token);
const patient = () => beginCall(Number.POSITIVE_INFINITY);
const embedded = (text) => randomVectors(InputBatch.of([{ kind: 'text', text }]), dimensions);

for (const documents of batches) {
  const body = Buffer.from(JSON.stringify({ documents }));
  const bytes = RequestBytes.withRoom(body.length);
  bytes.append(body);
  const batch = await engine.prepareAdd(index, bytes);
  // Over to another object, as between two threads.
  const inputs = await batch.prepare(Buffer.from(JSON.stringify(addOptions)));
  const vectors = await randomVectors(InputBatch.attach(inputs.handOver()), dimensions);
  await batch.apply(vectors, Buffer.from('{"failures":[],"parts":[]}'));
  const [{ title }] = documents;
  const found = await engine.search(index, Buffer.from(JSON.stringify(plan)), await embedded(title), patient());
  const { hits } = JSON.parse(found.toString('utf8'));
  if (!hits.some((hit) => hit.title === title))
    throw new Error(`a search does not see ${title}, which was acknowledged`);
}
parentPort.postMessage('written');

parentPort.on('message', async (text) => {
  if (text === null) return parentPort.close();
  const found = await engine.search(index, Buffer.from(JSON.stringify(plan)), await embedded(text), patient());
  parentPort.postMessage(found.toString('utf8'));
});
