import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { floats, graph, node, model as onnxModel, value, wordTokenizer } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

const INFERENCE = new URL('../../dist/index.js', import.meta.url).href;
const COPIES = 2;
/** So many that a tenth of their bytes is more than what heaps of threads take and give back meanwhile. */
const LARGE = 40;
const MB = 1e6;
const ROUNDS = 3;

/** An encoder of so many square matrices, which are most of its bytes, as they are of real ones. */
function matrices(count: number, dim: number): Uint8Array {
  const layers = Array.from({ length: count }, (_, i) => i);
  return onnxModel(
    graph({
      nodes: [
        node({ op: 'Gather', inputs: ['embeddings', 'input_ids'], output: 'x0' }),
        ...layers.flatMap((i) => [
          node({ op: 'MatMul', inputs: [`x${i}`, `w${i}`], output: `y${i}` }),
          node({ op: 'Tanh', inputs: [`y${i}`], output: i === count - 1 ? 'last_hidden_state' : `x${i + 1}` }),
        ]),
      ],
      initializers: [
        floats('embeddings', [64, dim], new Float32Array(64 * dim).fill(0.5)),
        ...layers.map((i) =>
          floats(
            `w${i}`,
            [dim, dim],
            Float32Array.from({ length: dim * dim }, (_, at) => Math.sin(at + i)),
          ),
        ),
      ],
      inputs: [value('input_ids', 7, ['batch', 'length'])],
      outputs: [value('last_hidden_state', 1, ['batch', 'length', dim])],
    }),
  );
}

/** Prints the anonymous memory of the process, in bytes, with a model on every worker and after it was unloaded. */
const SCRIPT = `
  import { readFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { createInference, InputBatch, parseModelFile, textInputs } from ${JSON.stringify(INFERENCE)};
  const modelFile = parseModelFile(JSON.parse(process.argv[2]), 'models.json');
  const inference = createInference({ modelFile, hubUrl: null, threads: ${COPIES} });
  const bytes = () => {
    globalThis.gc();
    return Number(/RssAnon:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  };
  // Every worker has a batch, and so all that it ever needs for ones of that length.
  const run = async (name) => {
    const model = inference.resolve(name);
    await inference.load(model);
    const texts = Array.from({ length: 8 }, () => 'w1 w2 w3');
    for (let i = 0; i < 4; i++) await inference.embed(model, InputBatch.of(textInputs(texts)), { normalize: true });
  };
  const settled = async (isThere) => {
    // Copies are loaded, taking twice their memory for a while, and it is given back, by threads of their own, after
    // the call that asks for it.
    for (let i = 0; i < 200 && !isThere(bytes()); i++) await setTimeout(50);
    return bytes();
  };
  const wanted = ${COPIES} * Number(process.argv[3]);
  const near = (expected) => (now) => Math.abs(now - expected) < 0.03 * wanted;
  await run('small');
  // Once before it counts: what workers take for themselves, and keep, is not of the model. If a copy had stayed, the
  // model would seem to take too little afterwards.
  const without = bytes();
  await run('large');
  await settled(near(without + wanted));
  await inference.eject('large');
  // A heap that other blocks keep from giving back its own shows in one round, and is used again in the next; what a model
  // keeps shows in all.
  await settled(near(without));
  const rounds = [];
  for (let i = 0; i < ${ROUNDS}; i++) {
    const before = bytes();
    await run('large');
    const loaded = (await settled(near(before + wanted))) - before;
    await inference.eject('large');
    const left = (await settled(near(before))) - before;
    rounds.push({ loaded, left });
  }
  console.log(JSON.stringify(rounds));
  await inference.close();
`;

/** Figures of processes on other systems do not say which of their memory are mapped files. */
test.skipIf(process.platform !== 'linux')('a model takes its bytes for each worker, and gives them back', async () => {
  const directory = await temporaryDirectory();
  const entries: Record<string, object> = {};
  const graphs = { small: matrices(1, 1024), large: matrices(LARGE, 1024) };
  for (const [name, bytes] of Object.entries(graphs)) {
    const folder = join(directory, name);
    await mkdir(folder);
    await writeFile(join(folder, 'model.onnx'), bytes);
    await writeFile(join(folder, 'tokenizer.json'), wordTokenizer());
    entries[name] = { folder, properties: { name, dimensions: 1024, tokens: 64, modelSize: 0.01 } };
  }
  const size = graphs.large.length;
  const distance = (bytes: number) => Math.abs(bytes - COPIES * size);
  const script = join(directory, 'measure.mjs');
  await writeFile(script, SCRIPT);
  const args = ['--expose-gc', script, JSON.stringify({ models: entries }), String(size)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const rounds: { loaded: number; left: number }[] = JSON.parse(stdout);
  const [loaded = 0] = rounds.map((round) => round.loaded).sort((a, b) => distance(a) - distance(b));
  const left = Math.min(...rounds.map((round) => round.left));
  expect(loaded / MB).toBeGreaterThan((0.9 * COPIES * size) / MB);
  expect(loaded / MB).toBeLessThan((1.1 * COPIES * size) / MB);
  expect(left / MB).toBeLessThan((0.1 * COPIES * size) / MB);
});
