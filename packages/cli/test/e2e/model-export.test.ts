import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const ORIGINALS = fileURLToPath(new URL('tiny_originals.py', import.meta.url));

/** A Python with torch, torchvision, timm, transformers, onnx, sentence-transformers and open_clip_torch: gigabytes, which no test installs. */
const python = process.env.PELORUS_EXPORT_PYTHON;
if (python === undefined) {
  console.warn('SKIPPED: PELORUS_EXPORT_PYTHON names no Python with the original libraries, so nothing is exported');
}

const small = { dimensions: 32, tokens: 32 };
const joint = { type: 'open_clip', dimensions: 24 };
const MODELS = {
  'tiny/hf': { folder: 'exported-hf', properties: { ...small, poolingMethod: 'cls' } },
  'tiny/xlm-roberta': { properties: { ...small, name: 'tiny/xlm-roberta' } },
  'tiny/sbert': { properties: { ...small, type: 'sbert', name: 'tiny/sbert' } },
  'tiny/open-clip': { properties: { ...joint, name: 'hf-hub:tiny/open-clip' } },
  'tiny/siglip': { properties: { ...joint, name: 'hf-hub:tiny/siglip' } },
  'tiny/multilingual-clip': {
    folder: 'exported-multilingual',
    properties: { type: 'multilingual_clip', name: 'tiny', dimensions: 24, size: 32, tokens: 512 },
  },
};

function temporaryFolder(name: string): string {
  const folder = emptyFolder(name);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a name is exported by nothing but Python with its library, and the command says so in one line', async () => {
  const folder = temporaryFolder('export-without');
  const args = ['models', 'export', 'hf/ember-v1', '--python', 'no-such-python', '--model-dir', folder];
  await expect(promisify(execFile)(process.execPath, [MAIN, ...args])).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'pelorus: hf/ember-v1 is exported by Python with torch, transformers and onnx, and there is no program ' +
      '"no-such-python". Install Python 3.9 or newer with "pip install torch transformers onnx", or name one that has them ' +
      'with --python\n',
  });
});

test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
  'an export ends with %s, and leaves nothing',
  async (signal) => {
    const folder = temporaryFolder('export-stopped');
    const models = join(folder, 'models');
    // In place of Python: it is at work for longer than anybody waits.
    const busy = join(folder, 'busy');
    writeFileSync(busy, '#!/bin/sh\necho begun\nexec sleep 600\n');
    chmodSync(busy, 0o755);
    const args = ['models', 'export', 'hf/ember-v1', '--python', busy, '--model-dir', models];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (text.includes('begun')) child.kill(signal);
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(said).toBe('begun\npelorus: The export of hf/ember-v1 was stopped. Nothing of it is left.\n');
    expect(readdirSync(models, { recursive: true })).toEqual(['.incoming']);
  },
);

describe.skipIf(python === undefined)('models in small, of their original libraries', () => {
  const folder = emptyFolder('model-export');
  const models = join(folder, 'models.json');
  const places = ['--models', models, '--model-dir', join(folder, 'models'), '--hub', 'none'];
  let server: ServerProcess;

  beforeAll(() => {
    const dense = { properties: { ...small, type: 'sbert', name: 'tiny/dense' } };
    writeFileSync(models, JSON.stringify({ models: { ...MODELS, 'tiny/dense': dense } }));
    execFileSync(python ?? '', [ORIGINALS, join(folder, 'originals')], { stdio: 'pipe' });
  });
  afterAll(async () => {
    await server?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  function exportModel(name: string, original = name.replace('tiny/', '')) {
    const from = join(folder, 'originals', original);
    const args = ['models', 'export', name, '--from', from, '--python', python ?? '', ...places];
    return promisify(execFile)(process.execPath, [MAIN, ...args]);
  }

  test.each(Object.keys(MODELS))('%s is exported, and gives the vectors of its original', async (name) => {
    const { stdout, stderr } = await exportModel(name);
    expect(readdirSync(stdout.trim())).toEqual(expect.arrayContaining(['manifest.json', 'tokenizer.json']));
    expect(Number(/The cosine to the original's vectors is (\S+)/.exec(stderr)?.[1])).toBeGreaterThan(0.9999);
  });

  test.each([
    ['detector/frcnn', 'frcnn'],
    ['detector/dino-v1', 'dino'],
    ['detector/dino-v2', 'dino'],
  ])('%s is exported, and gives what its original does', async (name, original) => {
    const { stdout, stderr } = await exportModel(name, original);
    expect(readdirSync(stdout.trim())).toEqual(expect.arrayContaining(['manifest.json', 'model.onnx']));
    expect(Number(/The cosine to the original's vectors is (\S+)/.exec(stderr)?.[1])).toBeGreaterThan(0.9999);
  });

  test('a pipeline with a layer that is not run here is refused', async () => {
    await expect(exportModel('tiny/dense')).rejects.toThrow(
      'its pipeline has a layer Dense, which Pelorus does not run',
    );
  });

  test('an index embeds with an exported model as the original does, and finds what it was asked for', async () => {
    const originals = JSON.parse(readFileSync(join(folder, 'originals', 'vectors.json'), 'utf8')) as {
      text: string;
      vector: number[];
    }[];
    server = await ServerProcess.start(['--data', join(folder, 'data'), ...places]);
    await server.ok('POST', '/indexes/tiny', { model: 'tiny/hf' });
    const documents = originals.map(({ text }, i) => ({ _id: String(i), text }));
    await server.ok('POST', '/indexes/tiny/documents', { documents, tensorFields: ['text'] });
    const { embeddings } = (await server.ok('POST', '/indexes/tiny/embed', {
      content: originals.map(({ text }) => text),
    })) as { embeddings: number[][] };
    for (const [i, { text, vector }] of originals.entries()) {
      const cosine = vector.reduce((sum, value, at) => sum + value * (embeddings[i]?.[at] ?? 0), 0);
      expect(cosine, text).toBeGreaterThan(0.99999);
      const found = await server.ok('POST', '/indexes/tiny/search', { q: text, limit: 1 });
      expect(found.hits[0]).toMatchObject({ text, _score: expect.closeTo(1, 4) });
    }
  });
});
