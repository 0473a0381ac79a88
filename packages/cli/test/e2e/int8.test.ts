import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { transformer } from '../../../inference/test/onnx/transformer-model.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const MODEL = 'small/own';

const folder = emptyFolder('int8');
const models = join(folder, 'models.json');
const places = ['--models', models, '--model-dir', join(folder, 'models'), '--hub', 'none'];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args, ...places]);
const serve = (data: string) =>
  ServerProcess.start(['--data', join(folder, data), ...places, '--encoder', 'auto', '--encoder-precision', 'int8']);

mkdirSync(join(folder, 'small'));
writeFileSync(join(folder, 'small', 'model.onnx'), transformer({ vocabulary: 50 }));
writeFileSync(join(folder, 'small', 'tokenizer.json'), wordTokenizer());
const entry = { folder: 'small', properties: { dimensions: 8, tokens: 64 } };
writeFileSync(models, JSON.stringify({ models: { [MODEL]: entry } }));

test('a model runs in int8 once it is calibrated, and not before', async () => {
  const server = await serve('data');
  try {
    const settings = { model: MODEL };
    await server.ok('POST', '/indexes/own', settings);
    const documents = Array.from({ length: 40 }, (_, i) => ({ _id: `${i}`, text: `w${i} w${(i * 7) % 40}` }));
    const add = () => server.call('POST', '/indexes/own/documents', { documents, tensorFields: ['text'] });
    const refused = await add();
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain(`\`pelorus models calibrate ${MODEL}\``);
    expect(refused.body.message).toContain('it has no calibration');
    expect(refused.body.message).not.toContain(folder);
    expect(await server.ok('GET', '/models')).toEqual({ models: [] });
    expect((await server.ok('GET', '/indexes/own/stats')).backend).not.toHaveProperty('precision');

    const texts = join(folder, 'texts.txt');
    writeFileSync(texts, documents.map(({ text }) => text).join('\n'));
    const { stdout, stderr } = await run('models', 'calibrate', MODEL, '--texts', texts, '--json');
    const { file, ...made } = JSON.parse(stdout);
    const cosine = { least: expect.any(Number), mean: expect.any(Number) };
    expect(made).toEqual({ model: MODEL, texts: 40, cosine });
    expect(stderr).toMatch(
      /^40 of 40 texts\nThe cosine of int8 to f32 is [01]\.\d+ in the mean and [01]\.\d+ at least\.\n/m,
    );

    // The server needs no new start.
    expect(await add()).toMatchObject({ status: 200, body: { errors: false } });
    const { hits } = await server.ok('POST', '/indexes/own/search', { q: 'w3 w21' });
    expect(hits[0]).toMatchObject({ _id: '3', _score: expect.closeTo(1, 4) });
    const row = { model_name: MODEL, model_device: 'cpu', encoder: 'pelorus', precision: 'int8' };
    expect(await server.ok('GET', '/models')).toEqual({ models: [row] });
    expect(await server.ok('GET', '/indexes/own/stats')).toMatchObject({ backend: { precision: 'int8' } });
    expect(server.output).toContain(`Model ${MODEL} runs in int8.`);

    await server.ok('DELETE', `/models?model_name=${MODEL}&model_device=cpu`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"tokens":\d+/, '"tokens":"many"'));
    const damaged = await server.call('POST', '/indexes/own/search', { q: 'w9' });
    expect(damaged.status).toBe(400);
    expect(damaged.body.message).toContain('its calibration cannot be used: it is damaged');
    expect(damaged.body.message).toContain(basename(file));
  } finally {
    await server.end();
  }
});

test.each([
  [['no/such'], /^pelorus: [^\n]*no\/such[^\n]*\n$/],
  [['random/small'], /^pelorus: [^\n]*random\/small has nothing to calibrate[^\n]*\n$/],
  [[MODEL, '--texts', join(folder, 'none.txt')], /^pelorus: The texts in [^\n]*none\.txt cannot be read: [^\n]*\n$/],
])('a calibration of %j is refused in one line', async (args, line) => {
  await expect(run('models', 'calibrate', ...args)).rejects.toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(line),
  });
});
