import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LoopbackHub } from '../../../inference/test/loopback-hub.js';
import { encoder, wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const folder = emptyFolder('private');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every file and folder below a path, the path itself included, with the rights of others than its owner. */
function rights(path: string): { path: string; others: string }[] {
  const stat = lstatSync(path);
  const here = { path: relative(folder, path), others: (stat.mode & 0o077).toString(8) };
  if (!stat.isDirectory()) return [here];
  return [here, ...readdirSync(path).flatMap((name) => rights(join(path, name)))];
}

// Windows has no such rights: a folder passes its own list on to files that are made in it.
test.skipIf(process.platform === 'win32')('nobody but its owner may read a file that the server makes', async () => {
  const hub = await LoopbackHub.start();
  hub.put('sentence-transformers/all-MiniLM-L6-v2', 'tokenizer.json', wordTokenizer());
  hub.put('sentence-transformers/all-MiniLM-L6-v2', 'onnx/model.onnx', encoder());
  const [data, models] = [join(folder, 'made', 'data'), join(folder, 'made', 'models')];
  const server = await ServerProcess.start(['--data', data, '--model-dir', models, '--hub', hub.url]);
  await server.ok('POST', '/indexes/own', { model: 'random/small' });
  const documents = Array.from({ length: 100 }, (_, n) => ({ _id: `d${n}`, text: `private words ${n}` }));
  await server.ok('POST', '/indexes/own/documents', { documents, tensorFields: ['text'] });
  // The model's answers do not matter here; its files must come.
  await server.ok('POST', '/indexes/fetched', { model: 'hf/all-MiniLM-L6-v2' });
  await server.call('POST', '/indexes/fetched/embed', { content: 'private' });
  const whileServing = rights(join(folder, 'made'));
  await server.end();

  const all = [...whileServing, ...rights(join(folder, 'made'))];

  expect(all.filter(({ others }) => others !== '0')).toEqual([]);
  const paths = all.map(({ path }) => path).join('\n');
  for (const kind of [/format$/m, /lock$/m, /index\.redb$/m, /lexical\/.+/, /vectors\/.+/, /model\.onnx$/m]) {
    expect(paths).toMatch(kind);
  }
});
