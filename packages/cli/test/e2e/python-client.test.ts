import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineFlags, HEALTHS } from './engine-flags.js';
import { officialClient, pythonWith } from './python-environment.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const SCRIPT = fileURLToPath(new URL('official_client.py', import.meta.url));

describe('the official Python client, unmodified', () => {
  const data = emptyFolder('python');
  let server: ServerProcess;
  let seen: any;
  let said: string;

  beforeAll(async () => {
    const python = pythonWith(officialClient);
    server = await ServerProcess.start(['--data', data, ...engineFlags()]);
    const { stdout, stderr } = await promisify(execFile)(python, ['-W', 'always', SCRIPT, server.address]);
    seen = JSON.parse(stdout);
    said = stderr;
  });
  afterAll(async () => {
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  test('accepts the version without a warning', () => {
    expect(seen.version).toBe('2.26.0');
    expect(said).not.toMatch(/warn/i);
  });

  test('creates an index, adds and replaces documents', () => {
    expect(seen.created).toMatchObject({ acknowledged: true, index: 'films' });
    expect(seen.added.errors).toBe(false);
    expect(seen.added.items.map((item: any) => [item._id, item.status])).toEqual(
      ['f1', 'f2', 'f3', 'f4'].map((id) => [id, 200]),
    );
    expect(seen.replaced.errors).toBe(false);
    expect(seen.document).toMatchObject({ _id: 'f2', title: 'Bread and Salt', year: 2012 });
  });

  test('changes single fields, and a document that is missing is an item', () => {
    expect(seen.updated.errors).toBe(true);
    expect(seen.updated.items.map((item: any) => [item._id, item.status])).toEqual([
      ['f4', 200],
      ['nobody', 400],
    ]);
    expect(seen.updated.items[1].message).toMatch(/^Marqo vector store couldn't update the document/);
    expect(seen.updated_document).toMatchObject({ _id: 'f4', title: 'Orbit', year: 2021, awards: 2 });
    expect(seen.by_update).toEqual(['f4']);
  });

  test('searches by tensor, by words and by both', () => {
    expect(new Set(seen.tensor)).toEqual(new Set(['f1', 'f4']));
    expect(seen.lexical).toEqual(['f2']);
    expect(seen.hybrid).toEqual(['f3']);
  });

  test('filters, weighs queries and highlights', () => {
    expect(new Set(seen.filtered)).toEqual(new Set(['f2', 'f4']));
    expect(seen.weighted).toEqual(['f2']);
    expect(seen.recommended).toEqual(['f4']);
    expect(seen.in_context).toEqual(['f1']);
    expect(seen.highlights).toEqual([{ plot: 'Two bakers in a mountain village fall in love.' }]);
  });

  test('gets one document, many, and their vectors', () => {
    expect(seen.facets).toBe(2);
    expect(seen.documents).toEqual([true, false]);
    expect(seen.embedding).toBe(384);
  });

  test('deletes documents, and they are gone', () => {
    expect(seen.deleted).toMatchObject({ receivedDocumentIds: 2, deletedDocuments: 2 });
    expect(new Set(seen.after_delete)).toEqual(new Set(['f2', 'f4']));
    expect(seen.stats).toBe(2);
    expect(seen.missing).toEqual({ status: 404, code: 'document_not_found' });
  });

  test('reads settings, health, models and the list of indexes', () => {
    expect(seen.settings).toBe('hf/all-MiniLM-L6-v2');
    expect(HEALTHS).toContain(seen.health);
    expect(seen.models).toContain('hf/all-MiniLM-L6-v2');
    expect(seen.indexes).toEqual(['films']);
    expect(seen.dropped).toMatchObject({ acknowledged: true });
  });

  test('ejects a model, for which it names no device', () => {
    expect(seen.ejected).toEqual({
      result: 'success',
      message: 'successfully eject model_name `hf/all-MiniLM-L6-v2` from device `cpu`',
    });
    expect(seen.after_eject).toEqual([]);
    expect(seen.not_loaded).toEqual({ status: 404, code: 'model_not_in_cache' });
  });
});
