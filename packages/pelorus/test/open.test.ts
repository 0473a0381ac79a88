import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine } from '@pelorus/engine';
import { Inventory } from '@pelorus/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { surfaceSuite } from '../../client/conformance/suite.js';
import { type OpenPelorus, open } from '../src/index.js';

const data = mkdtempSync(join(tmpdir(), 'pelorus-open-'));
let pelorus: OpenPelorus;
beforeAll(async () => {
  pelorus = await open({ data, models: { hubUrl: null } });
});
afterAll(async () => {
  await pelorus.close();
  rmSync(data, { recursive: true, force: true });
});

surfaceSuite('within the process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-surface-'));
  const opened = await open({ data: folder, models: { hubUrl: null } });
  const close = async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  };
  return { pelorus: opened, close };
});

describe('indexes opened in this process', () => {
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

  test('are in a folder: a cluster is refused, and the folder is not touched', async () => {
    const folder = join(data, 'of-a-cluster');
    const settings = { engine: 'opensearch', opensearch: 'http://127.0.0.1:1' };
    await expect(open({ data: folder, settings })).rejects.toThrow('--engine is opensearch, but open()');
    expect(existsSync(folder)).toBe(false);
  });

  test('end a call that a signal ends, and answer the next one', async () => {
    for (const delay of [Promise.resolve(), new Promise((resolve) => setImmediate(resolve))]) {
      const ender = new AbortController();
      const call = pelorus.fetch('/health', { signal: ender.signal }).catch(({ message }) => message);
      await delay;
      ender.abort(new Error('enough'));
      expect(['enough', 200]).toContain(await call.then((answer) => answer.status ?? answer));
    }
    const early = new AbortController();
    const call = pelorus.fetch('/indexes', { signal: early.signal });
    early.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect((await pelorus.fetch('/indexes')).status).toBe(200);
  });

  test('finish the calls under way before they close, and refuse later ones', async () => {
    await pelorus.createIndex('closing', { model: 'random/small' });
    const documents = Array.from({ length: 100 }, (_, place) => ({ _id: `${place}`, title: `note ${place}` }));
    const body = JSON.stringify({ documents, tensorFields: ['title'] });
    const headers = { 'content-type': 'application/json' };
    const added = pelorus.fetch('/indexes/closing/documents', { method: 'POST', headers, body });
    const closed = pelorus.close();
    const late = pelorus.index('closing').add(documents);
    await expect(late).rejects.toMatchObject({ code: 'closed', report: { stored: 0, failed: 0 } });
    expect(await (await added).json()).toMatchObject({ errors: false });
    await closed;
    pelorus = await open({ data, models: { hubUrl: null } });
    expect(await pelorus.index('closing').stats()).toMatchObject({ numberOfDocuments: 100 });
    await pelorus.deleteIndex('closing');
  });

  test('are of one process at a time, and free again after the end', async () => {
    await pelorus.createIndex('notes', { model: 'random/small' });
    await expect(open({ data })).rejects.toMatchObject({ code: 'data_directory_in_use' });
    await Promise.all([pelorus.close(), pelorus.close()]);
    await expect(pelorus.listIndexes()).rejects.toMatchObject({
      ...{ name: 'PelorusError', code: 'closed', message: 'This program has closed the indexes' },
    });
    pelorus = await open({ data });
    expect(await pelorus.listIndexes()).toEqual(['notes']);
    await pelorus.deleteIndex('notes');
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
    await pelorus.deleteIndex('dropped');
    await pelorus.close();
    expect(await serve()).toEqual([['kept'], 'green']);
    rmSync(join(data, 'indexes'), { recursive: true });
    pelorus = await open({ data });
    await expect(pelorus.createIndex('kept')).rejects.toMatchObject({ code: 'index_already_exists' });
    await pelorus.deleteIndex('kept');
    await pelorus.createIndex('kept', { model: 'random/small' });
  });
});
