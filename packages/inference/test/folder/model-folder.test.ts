import { appendFile, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeManifest } from '../../src/folder/manifest.js';
import { openModelFolder } from '../../src/folder/model-folder.js';
import { external, graph, model } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

const FILES = ['model.onnx', 'tokenizer.json'];

async function modelFolder(): Promise<string> {
  const folder = await temporaryDirectory();
  for (const name of FILES) await writeFile(join(folder, name), `contents of ${name}`);
  await writeManifest(folder, FILES, { source: 'test', pooling: 'cls', unitLength: true });
  return folder;
}

test('a folder that agrees with its manifest opens, with what the publisher said', async () => {
  const folder = await modelFolder();
  expect(await openModelFolder(folder, ['text'])).toEqual({
    path: folder,
    graphs: { text: join(folder, 'model.onnx') },
    inputs: null,
    bytes: 22,
    tokenizer: join(folder, 'tokenizer.json'),
    pooling: 'cls',
    unitLength: true,
  });
});

test('a folder without a manifest is taken as it is', async () => {
  const folder = await modelFolder();
  await rm(join(folder, 'manifest.json'));
  expect(await openModelFolder(folder, ['text'])).toMatchObject({ pooling: null, unitLength: null });
});

test('weights and their configuration are a model where there is no graph, pooled as the publisher does', async () => {
  const folder = await temporaryDirectory();
  for (const name of ['model.safetensors', 'config.json', 'tokenizer.json']) await writeFile(join(folder, name), name);
  const graphs = { text: join(folder, 'model.safetensors') };
  expect(await openModelFolder(folder, ['text'])).toMatchObject({
    graphs,
    bytes: 17,
    pooling: null,
    unitLength: false,
  });
  await mkdir(join(folder, '1_Pooling'));
  await writeFile(join(folder, '1_Pooling', 'config.json'), '{"pooling_mode_cls_token": true}');
  await writeFile(join(folder, 'modules.json'), '[{"type": "sentence_transformers.models.Normalize"}]');
  expect(await openModelFolder(folder, ['text'])).toMatchObject({ graphs, pooling: 'cls', unitLength: true });
  await writeFile(join(folder, 'modules.json'), '[');
  await expect(openModelFolder(folder, ['text'])).rejects.toThrow('modules.json cannot be read');
  // A graph says itself what it computes.
  await writeFile(join(folder, 'model.onnx'), 'graph');
  expect(await openModelFolder(folder, ['text'])).toMatchObject({ graphs: { text: join(folder, 'model.onnx') } });
  await rm(join(folder, 'model.onnx'));
  await expect(openModelFolder(folder, ['text', 'image'])).rejects.toThrow('text/model.onnx is missing');
  await rm(join(folder, 'config.json'));
  await expect(openModelFolder(folder, ['text'])).rejects.toThrow('config.json is missing');
});

test('weights that nobody reads are named, and what to do with them', async () => {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, 'tokenizer.json'), '{}');
  for (const [name, words] of [
    ['pytorch_model.bin', /^model\.onnx is missing, and pytorch_model\.bin is a pickle, .* as model\.safetensors$/],
    [
      'model.safetensors.index.json',
      /^model\.onnx is missing, and model\.safetensors\.index\.json names .* several files/,
    ],
  ] as const) {
    await writeFile(join(folder, name), '');
    await expect(openModelFolder(folder, ['text'])).rejects.toThrow(words);
  }
});

test('a missing file is named', async () => {
  const folder = await modelFolder();
  await rm(join(folder, 'tokenizer.json'));
  await expect(openModelFolder(folder, ['text'])).rejects.toThrow('tokenizer.json is missing');
  await mkdir(join(folder, 'tokenizer.json'));
  await expect(openModelFolder(folder, ['text'])).rejects.toThrow('tokenizer.json is missing');
});

test('a file of another size is named', async () => {
  const folder = await modelFolder();
  await appendFile(join(folder, 'model.onnx'), 'x');
  await expect(openModelFolder(folder, ['text'])).rejects.toThrow('model.onnx has 23 bytes, its manifest says 22');
});

test('a changed byte is found, also in a folder that was verified before', async () => {
  const folder = await modelFolder();
  await openModelFolder(folder, ['text']);
  await writeFile(join(folder, 'model.onnx'), 'c0ntents of model.onnx');
  await utimes(join(folder, 'model.onnx'), 1, 1);
  await expect(openModelFolder(folder, ['text'])).rejects.toThrow(
    /model.onnx has sha256 [0-9a-f]{64}, its manifest says/,
  );
});

test('files are hashed once: a stamp vouches for those that kept size and time', async () => {
  const folder = await modelFolder();
  const path = join(folder, 'model.onnx');
  await utimes(path, 5, 5);
  await openModelFolder(folder, ['text']);
  expect(JSON.parse(await readFile(join(folder, '.verified.json'), 'utf8')).files['model.onnx']).toEqual([22, 5000]);
  await writeFile(path, 'c0ntents of model.onnx');
  await utimes(path, 5, 5);
  await expect(openModelFolder(folder, ['text'])).resolves.toBeDefined();
});

test('a manifest that is none, or that reaches out of the folder, is refused', async () => {
  const folder = await modelFolder();
  const sha256 = '0'.repeat(64);
  for (const [text, problem] of [
    ['[', 'manifest.json is not JSON'],
    ['{"version": 2}', 'manifest.json is not a manifest'],
    [`{"version":1,"source":"x","files":{"../x":{"bytes":1,"sha256":"${sha256}"}}}`, 'lists "../x"'],
    [`{"version":1,"source":"x","files":{"other/x":{"bytes":1,"sha256":"${sha256}"}}}`, 'lists "other/x"'],
  ] as const) {
    await writeFile(join(folder, 'manifest.json'), text);
    await expect(openModelFolder(folder, ['text'])).rejects.toThrow(problem);
  }
});

test('an operator may link the files of a folder from elsewhere', async () => {
  const folder = await modelFolder();
  const linked = await temporaryDirectory();
  for (const name of FILES) await symlink(join(folder, name), join(linked, name));
  await expect(openModelFolder(linked, ['text'])).resolves.toMatchObject({ path: linked });
});

test('a joint model has a folder for each tower', async () => {
  const folder = await temporaryDirectory();
  const files = ['text/model.onnx', 'image/model.onnx', 'image/model.onnx.data', 'tokenizer.json'];
  for (const name of ['text', 'image']) await mkdir(join(folder, name));
  for (const name of files) await writeFile(join(folder, name), `contents of ${name}`);
  await writeManifest(folder, files, { source: 'test' });
  expect((await openModelFolder(folder, ['text', 'image'])).graphs).toEqual({
    text: join(folder, 'text', 'model.onnx'),
    image: join(folder, 'image', 'model.onnx'),
  });
  await expect(openModelFolder(folder, ['text', 'image', 'audio'])).rejects.toThrow('audio/model.onnx is missing');
  await expect(openModelFolder(folder, ['text'])).rejects.toThrow('model.onnx is missing');
  await appendFile(join(folder, 'image/model.onnx.data'), 'x');
  await expect(openModelFolder(folder, ['text', 'image'])).rejects.toThrow('image/model.onnx.data has 34 bytes');
});

test('the bytes of a model are those of its graphs and of the tensors they refer to', async () => {
  const folder = await temporaryDirectory();
  for (const name of ['text', 'image']) {
    await mkdir(join(folder, name));
    const bytes = model(graph({ nodes: [], initializers: [external('w', [2], 'weights.bin')] }));
    await writeFile(join(folder, name, 'model.onnx'), bytes);
    await writeFile(join(folder, name, 'weights.bin'), new Uint8Array(1000));
    await writeFile(join(folder, name, 'README.md'), 'none of it');
  }
  await writeFile(join(folder, 'tokenizer.json'), '{}');
  const graphBytes = (await readFile(join(folder, 'text/model.onnx'))).length;
  expect((await openModelFolder(folder, ['text', 'image'])).bytes).toBe(2 * (graphBytes + 1000));
});
