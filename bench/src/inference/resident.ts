// Prints the bytes that a process has in memory once so many threads have embedded texts: `resident.ts ENCODER THREADS`.
import { createInference, InputBatch, textInputs } from '@pelorus/inference';
import { releaseMemory } from '@pelorus/node';

const [encoder, threads] = process.argv.slice(2);
if (encoder !== 'pelorus' && encoder !== 'onnxruntime') throw new Error('the encoder is pelorus or onnxruntime');
const models = createInference({ encoder, threads: Number(threads) });
const model = models.resolve('hf/all-MiniLM-L6-v2');
const texts = Array.from({ length: 64 }, (_, at) => `warm waterproof shoes, number ${at}, for long winter walks`);
for (let round = 0; round < 3; round += 1) {
  await models.embed(model, InputBatch.of(textInputs(texts)), { normalize: true });
}
globalThis.gc?.();
await releaseMemory();
console.log(process.memoryUsage.rss());
await models.close();
