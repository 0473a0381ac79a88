// One session on one thread: takes the next sixteen texts until there are no more.
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { RawLoopData } from './raw-loop.ts';

const { model, texts, next, batchSize } = workerData as RawLoopData;
const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
await embed(texts.slice(0, batchSize)); // warms up

parentPort?.on('message', async () => {
  for (;;) {
    const first = Atomics.add(next, 0, batchSize);
    if (first >= texts.length) break;
    await embed(texts.slice(first, first + batchSize));
  }
  parentPort?.postMessage('done');
});
parentPort?.postMessage('ready');

async function embed(batch: readonly Int32Array[]): Promise<void> {
  const length = Math.max(...batch.map((ids) => ids.length));
  const shape = [batch.length, length];
  const ids = new BigInt64Array(batch.length * length);
  const mask = new BigInt64Array(batch.length * length);
  batch.forEach((text, row) => {
    text.forEach((id, column) => {
      ids[row * length + column] = BigInt(id);
      mask[row * length + column] = 1n;
    });
  });
  await session.run({
    input_ids: new Tensor('int64', ids, shape),
    attention_mask: new Tensor('int64', mask, shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  });
}
