import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

describe('serve --demo', () => {
  const data = emptyFolder('demo');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await ServerProcess.start(['--data', data, '--demo']);
    await server.waitFor(/Try it:/);
  });
  afterAll(async () => {
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  const search = async (body: object): Promise<any[]> =>
    (await server.ok('POST', '/indexes/products/search', body)).hits;

  test('loads more than a thousand products, showing how far it is', async () => {
    expect((await server.ok('GET', '/indexes/products/stats')).numberOfDocuments).toBe(1200);
    expect(server.output).toMatch(/Loading the sample catalogue: \d+ of 1200/);
  });

  test.each([
    ['warm jacket for winter hiking', 'Outdoor clothing'],
    ['a machine that pulls espresso and steams milk', 'Kitchen'],
    ['keep my baby asleep', 'Baby'],
    ['headphones that block noise on a plane', 'Audio'],
    ['where can my old dog sleep comfortably', 'Pets'],
    ['cut branches off my roses', 'Garden'],
  ])('finds by meaning: %s', async (q, category) => {
    const hits = await search({ q, limit: 5 });
    expect(hits.map((hit) => hit.category).filter((found) => found === category).length).toBeGreaterThanOrEqual(4);
    expect(hits[0].category).toBe(category);
  });

  test('every curl line it prints finds something', async () => {
    const lines = server.output.split('\n').filter((line) => line.startsWith('curl '));
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      const { hits } = JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }));
      expect(hits.length, line).toBeGreaterThan(0);
      for (const hit of hits) expect(hit.title, line).toBeTypeOf('string');
    }
  });

  test('a filter holds in every hit', async () => {
    const filter = 'category:(Toys and games) AND price:[* TO 40] AND stock:[1 TO *]';
    const hits = await search({ q: 'a present for a child', filter, limit: 20 });
    expect(hits.length).toBe(20);
    for (const hit of hits) {
      expect(hit.category).toBe('Toys and games');
      expect(hit.price).toBeLessThanOrEqual(40);
      expect(hit.stock).toBeGreaterThanOrEqual(1);
    }
  });

  test.each([
    ['no filter', undefined],
    ['half of the products', 'price:[0 TO 60]'],
    ['one category', 'category:Kitchen'],
    ['few products', 'category:Kitchen AND price:[* TO 30]'],
  ])('approximate search finds what exact search does: %s', async (_, filter) => {
    const queries = [
      'warm and dry',
      'a gift',
      'for the garden',
      'quiet',
      'cook dinner',
      'long battery life',
      'red',
      'oak',
    ];
    let [found, wanted] = [0, 0];
    for (const q of queries) {
      const body = { q, filter, limit: 10, attributesToRetrieve: [], showHighlights: false };
      const exact = await search({ ...body, approximate: false });
      const close = new Set((await search(body)).map((hit) => hit._id));
      wanted += exact.length;
      found += exact.filter((hit) => close.has(hit._id)).length;
    }
    expect(wanted).toBeGreaterThan(0);
    expect(found / wanted).toBeGreaterThanOrEqual(0.98);
  });

  test('a second start finds it loaded and loads nothing', async () => {
    await server.end();
    server = await ServerProcess.start(['--data', data, '--demo']);
    await server.waitFor(/Try it:/);
    expect(server.output).toContain('The sample catalogue is loaded: 1200 products');
    expect(server.output).not.toContain('Loading');
  });
});

test('serve --demo without a way to the model serves on and says what is missing', async () => {
  const data = emptyFolder('no-model');
  const models = emptyFolder('models');
  const server = await ServerProcess.start(['--data', data, '--demo', '--model-dir', models, '--hub', 'none'], {
    env: { PATH: '' },
  });
  await server.waitFor(/The sample catalogue is not loaded: .*all-MiniLM-L6-v2 is not on this machine/);

  const { status, body } = await server.call('POST', '/indexes/products/search', { q: 'lamp' });

  expect(status).toBe(400);
  expect(body.message).toContain('--models');
  expect((await server.call('GET', '/health')).status).toBe(200);
  await server.end();
  for (const folder of [data, models]) rmSync(folder, { recursive: true, force: true });
});
