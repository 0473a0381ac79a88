import { cpSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkNativeFiles } from '../native-files.mjs';
import { NODE_MODULES } from '../paths.mjs';

const BINARIES = join('bin', 'napi-v6', process.platform, process.arch);
const ADDON = join(BINARIES, 'onnxruntime_binding.node');

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'pelorus-native-'));
  for (const part of ['package.json', BINARIES]) {
    cpSync(join(NODE_MODULES, 'onnxruntime-node', part), join(copy, part), { recursive: true });
  }
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

test('the files as they came pass', () => {
  expect(() => checkNativeFiles(copy)).not.toThrow();
});

test('a changed file is refused by name, with both checksums', () => {
  truncateSync(join(copy, ADDON), 0);
  expect(() => checkNativeFiles(copy)).toThrow(
    /onnxruntime_binding\.node .*[0-9a-f]{64} expected, e3b0c44298fc.* found/,
  );
});

test('a missing file is refused', () => {
  rmSync(join(copy, ADDON));
  expect(() => checkNativeFiles(copy)).toThrow('no file found');
});

test('a version that nobody made checksums of is refused', () => {
  writeFileSync(join(copy, 'package.json'), '{"version": "0.0.1"}');
  expect(() => checkNativeFiles(copy)).toThrow('onnxruntime-node-0.0.1.sha256 is missing');
});
