import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine } from '@pelorus/engine';
import { Inventory } from '@pelorus/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open, type Pelorus, RequestFailure } from '../src/index.js';

const data = mkdtempSync(join(tmpdir(), 'pelorus-open-'));
let pelorus: Pelorus;
beforeAll(async () => {
  pelorus = await open({ data, models: { hubUrl: null } });
});
afterAll(async () => {
  await pelorus.close();
  rmSync(data, { recursive: true, force: true });
});

interface Note {
  title: string;
  minutes: number;
}

describe('indexes opened in this process', () => {
  test('take documents and find them again with their own fields', async () => {
    await pelorus.createIndex('notes', { model: 'random/small' });
    const notes = pelorus.index<Note>('notes');
    const added = await notes.add(
      [
        { _id: '1', title: 'Sourdough', minutes: 90 },
        { _id: 'a/b', title: 'Puncture', minutes: 20 },
      ],
      { tensorFields: ['title'] },
    );
    expect(added.errors).toBe(false);
    const { hits } = await notes.search({ q: 'puncture', searchMethod: 'LEXICAL', filter: 'minutes:[* TO 30]' });
    expect(hits.map(({ _id, title, minutes }) => [_id, title, minutes])).toEqual([['a/b', 'Puncture', 20]]);
    expect((await notes.search('sourdough')).hits[0]?.title).toBe('Sourdough');
    expect(await notes.get('a/b')).toEqual({ _id: 'a/b', title: 'Puncture', minutes: 20 });
    expect(await pelorus.listIndexes()).toEqual(['notes']);
    await notes.delete(['a/b']);
    expect((await notes.stats()).numberOfDocuments).toBe(1);
  });

  test('refuse what the interface refuses, by its code', async () => {
    const absent = pelorus.index('absent');
    const refused = await absent.search('x').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RequestFailure);
    expect(refused).toMatchObject({ status: 404, code: 'index_not_found' });
    await expect(pelorus.createIndex('bad name')).rejects.toMatchObject({ status: 400, code: 'invalid_argument' });
  });

  test('answer a client that takes a fetch of its own, whatever the address that it was given', async () => {
    const answer = await pelorus.fetch('https://anywhere.example/indexes/absent/stats?telemetry=true', {
      headers: { 'x-request-id': 'mine' },
    });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-request-id')).toBe('mine');
    expect(await answer.json()).toMatchObject({ code: 'index_not_found' });
    const health = await pelorus.fetch(new Request('http://x/health'));
    expect(health.ok).toBe(true);
  });

  test('are of one process at a time, and free again after the end', async () => {
    await expect(open({ data })).rejects.toMatchObject({ code: 'data_directory_in_use' });
    await pelorus.close();
    pelorus = await open({ data });
    expect(await pelorus.listIndexes()).toEqual(['notes']);
    await pelorus.index('notes').drop();
    expect(await pelorus.listIndexes()).toEqual([]);
  });

  test('are free again where the opening failed', async () => {
    await pelorus.close();
    const wrong = open({ data, models: { hubUrl: 'not a url' } });
    await expect(wrong).rejects.toMatchObject({ code: 'ERR_INVALID_URL' });
    pelorus = await open({ data });
  });

  test('are listed as a server lists them, which misses none that was dropped here, and one that was lost', async () => {
    const serve = async () => {
      const inventory = await Inventory.open(join(data, 'inventory.json'), () => undefined);
      const engine = await EmbeddedEngine.open(data, {}, inventory);
      const [names, { status }] = [await engine.listIndexes(), await engine.health()];
      await engine.close();
      return [names, status];
    };
    for (const name of ['kept', 'dropped']) await pelorus.createIndex(name, { model: 'random/small' });
    await pelorus.close();
    expect(await serve()).toEqual([['dropped', 'kept'], 'green']);
    pelorus = await open({ data });
    await pelorus.index('dropped').drop();
    await pelorus.close();
    expect(await serve()).toEqual([['kept'], 'green']);
    rmSync(join(data, 'indexes'), { recursive: true });
    pelorus = await open({ data });
    await expect(pelorus.createIndex('kept')).rejects.toMatchObject({ code: 'index_already_exists' });
    await pelorus.index('kept').drop();
    await pelorus.createIndex('kept', { model: 'random/small' });
  });
});
