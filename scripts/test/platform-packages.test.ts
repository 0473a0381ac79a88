import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { platformName } from '../../bindings/node/platform.js';
import { fromRoot, NODE } from '../paths.mjs';

const place = mkdtempSync(join(tmpdir(), 'pelorus-platform-packages-'));
const ours = join(place, 'node_modules', '@pelorus');

beforeAll(() => {
  for (const file of ['package.json', 'platform.js']) {
    cpSync(fromRoot('bindings', 'node', file), join(ours, 'node', file), { recursive: true });
  }
  // Each with machine code that is no such thing.
  for (const name of ['onnxruntime', 'sqlite']) {
    cpSync(fromRoot('packages', name), join(ours, name), { recursive: true });
    const damaged = join(ours, `${name}-${platformName()}`);
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'package.json'), JSON.stringify({ name: damaged, main: 'index.js' }));
    writeFileSync(join(damaged, 'index.js'), "module.exports = require('./code.node');");
    writeFileSync(join(damaged, 'code.node'), 'half a file');
  }
});
afterAll(() => rmSync(place, { recursive: true }));

/** The output of a program in that place. */
const run = (program: string) =>
  execFileSync(NODE, ['--input-type=module', '-e', program], { cwd: place, encoding: 'utf8' });

test('a model runtime that does not load is told as a model is opened, and not before', () => {
  const told = run(`import { InferenceSession, Tensor } from '@pelorus/onnxruntime';
    console.log('imported');
    await InferenceSession.create('model.onnx').catch(({ code, message }) => console.log(code, message));
    try { new Tensor(); } catch ({ code }) { console.log(code); }`);
  expect(told).toMatch(
    /^imported\nonnxruntime_damaged the ONNX Runtime of the package \S+ does not load: .*code\.node/,
  );
  expect(told).toMatch(/Install the package anew.*\nonnxruntime_damaged\n$/s);
});

test('a database that does not load is told as a file is opened, and not before', () => {
  const told = run(`import Database from '@pelorus/sqlite';
    console.log('imported');
    try { new Database('events.db'); } catch ({ code, message }) { console.log(code, message); }`);
  expect(told).toMatch(/^imported\nsqlite_damaged the SQLite of the package \S+ does not load: .*code\.node/);
});
