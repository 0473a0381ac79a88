import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../paths.mjs';
import { fingerprint, readStamp, writeStamp } from '../stamp.mjs';

let folder: string;
let input: string;

beforeEach(() => {
  mkdirSync(join(ROOT, 'target'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'target', 'stamp-'));
  input = relative(ROOT, folder);
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'a.rs'), 'fn a() {}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a changed byte changes the fingerprint', () => {
  const before = fingerprint([input]);
  writeFileSync(join(folder, 'src', 'a.rs'), 'fn b() {}');
  expect(fingerprint([input])).not.toBe(before);
});

test('a new time alone does not', () => {
  const before = fingerprint([input]);
  utimesSync(join(folder, 'src', 'a.rs'), 0, 0);
  expect(fingerprint([input])).toBe(before);
});

test('a renamed file does', () => {
  const before = fingerprint([input]);
  rmSync(join(folder, 'src', 'a.rs'));
  writeFileSync(join(folder, 'src', 'b.rs'), 'fn a() {}');
  expect(fingerprint([input])).not.toBe(before);
});

test('built files, and those that the filter leaves out, do not count', () => {
  const keep = (file: string): boolean => file.endsWith('.rs');
  const before = fingerprint([input], keep);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist', 'a.rs'), 'built');
  writeFileSync(join(folder, 'notes.md'), 'words');
  expect(fingerprint([input], keep)).toBe(before);
});

test('a filter sees paths from the root, wherever the clone lies', () => {
  const seen: string[] = [];
  fingerprint([input], (file) => seen.push(file) > 0);
  expect(seen).toEqual([`${input.replaceAll('\\', '/')}/src/a.rs`]);
});

test('an input that is missing is no fault', () => {
  expect(fingerprint([`${input}/nowhere`])).toMatch(/^[0-9a-f]{64}$/);
});

test('a stamp is read back, and is null where none was left', () => {
  const stamp = join(folder, 'deep', 'stamp');
  expect(readStamp(stamp)).toBeNull();
  writeStamp(stamp, 'abc');
  expect(readStamp(stamp)).toBe('abc');
});
