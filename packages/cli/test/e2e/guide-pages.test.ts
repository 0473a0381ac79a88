import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, blocks } from './page.js';
import { emptyFolder, withAdminKey } from './server-process.js';
import { Trial } from './trial.js';

const run = promisify(execFile);

let trial: Trial;
const folder = emptyFolder('guides');
beforeAll(async () => {
  // The model of pictures is not here; one that needs no files has its name.
  const models = { 'open_clip/ViT-B-32/laion2b_s34b_b79k': { alias: 'random/small' } };
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ models }));
  const flags = ['--models', join(folder, 'models.json'), '--media-download-allowed-networks', '127.0.0.0/8'];
  trial = await Trial.begin(flags);
});
afterAll(async () => {
  await trial?.end();
  rmSync(folder, { recursive: true, force: true });
});

const json = (output: string | undefined): any => JSON.parse(output ?? '');
const idsOf = (output: string | undefined): string[] => json(output).hits.map(({ _id }: any) => _id);

test('relevance is looked at, changed and measured', async () => {
  const outputs = await trial.outputs('docs/guides/relevance.md');
  const [, explained, names, typed, , torch, sold, recent, cut, set, kept] = outputs;
  expect(explained).toContain('█');
  expect(idsOf(names).toSorted()).toEqual(['g3', 'g4', 'g8']);
  expect(idsOf(typed)).toEqual(['g5']);
  expect(idsOf(torch)).toEqual(['g7']);
  expect(idsOf(sold)[0]).toBe('g8');
  expect(idsOf(recent)[0]).toBe('g3');
  expect(idsOf(cut)).toEqual(['g8']);
  expect(json(set)).toMatchObject({ setName: 'gear', queryCount: 2, judgementCount: 4 });
  expect(json(kept)).toMatchObject({ version: 2, searchDefaults: { fieldWeights: { name: 3 } } });

  const program = join(folder, 'program');
  mkdirSync(join(program, 'node_modules', '@pelorus'), { recursive: true });
  const client = fileURLToPath(new URL('../../../client', import.meta.url));
  symlinkSync(client, join(program, 'node_modules', '@pelorus', 'client'), 'junction');
  writeFileSync(
    join(program, 'measure.mts'),
    at(trial.server.address, blocks('docs/guides/relevance.md', 'ts')[0] ?? ''),
  );
  const { stdout } = await run(process.execPath, ['measure.mts'], { cwd: program });
  const [, words, both] = /^by words (\d\.\d\d) by both (\d\.\d\d)\n$/.exec(stdout) ?? [];
  expect(Number(both)).toBeGreaterThan(Number(words));
});

test('a hybrid search finds codes and meanings, and is fused as the guide says', async () => {
  const outputs = await trial.outputs('docs/guides/hybrid.md');
  const [, code, smell, stays, explained, machine, votes] = outputs;
  expect(idsOf(code)[0]).toBe('a1');
  expect(idsOf(smell)[0]).toBe('a3');
  expect(idsOf(stays)).toHaveLength(5);
  expect(json(explained).hits[0]).toMatchObject({ _explanation: expect.anything(), _lexical_score: expect.anything() });
  expect(idsOf(machine).toSorted()).toEqual(['a4', 'a5']);
  expect(idsOf(votes)[0]).toBe('a3');
});

test('pictures are found by words, by pictures and by both', async () => {
  // A red pixel and a blue one.
  const pixels: Readonly<Record<string, string>> = {
    '/boots.png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mM4IScHAAK2AQUKW6YGAAAAAElFTkSuQmCC',
    '/hat.png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  };
  const pictures = createServer((request, response) => {
    const pixel = pixels[request.url ?? ''];
    if (pixel === undefined) response.writeHead(404).end();
    else response.end(Buffer.from(pixel, 'base64'));
  }).listen(0, '127.0.0.1');
  await once(pictures, 'listening');
  const address = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  try {
    const outputs = await trial.outputs('docs/guides/pictures.md', { replaced: { 'https://shop.example': address } });
    const [, added, words, picture, mixed, like, both] = outputs;
    expect(json(added).items.map(({ status }: any) => status)).toEqual([200, 200, 400]);
    expect(idsOf(words)).toHaveLength(2);
    expect(idsOf(picture)).toEqual(['boots']);
    expect(idsOf(mixed)).toHaveLength(2);
    expect(idsOf(like)).toEqual(['hat']);
    expect(idsOf(both)).toEqual(['hat']);
  } finally {
    pictures.close();
  }
});

test('events of shoppers are sent and make figures', async () => {
  const shop = await Trial.begin(['--hosted'], withAdminKey);
  const env = { PELORUS_API_KEY: withAdminKey.PELORUS_ADMIN_KEY };
  try {
    const outputs = await shop.outputs('docs/guides/events.md', { env });
    const [, added, , accepted, found, consent, begun, learning, figures, quality] = outputs;
    expect(json(added).errors).toBe(false);
    expect(accepted?.match(/"acceptedEvents":2/g)).toHaveLength(6);
    expect(idsOf(found).toSorted()).toEqual(['assam', 'matcha', 'sencha']);
    expect(json(consent).settings.learnsWeights).toBe(true);
    expect(json(begun).state).toBe('waiting');
    expect(json(learning).state).toMatch(/^(?:waiting|running|done)$/);
    expect(json(figures).metrics.totalQueries).toEqual(expect.any(Number));
    expect(json(quality)).toEqual(expect.any(Object));
  } finally {
    await shop.end();
  }
});
