import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromRoot } from '../paths.mjs';
import { longestFiles } from '../vitest/longest-files.js';
import { namedFirst } from '../vitest/longest-first.js';

test('files that are named come first in the order of their names, all others stay in theirs', () => {
  const paths = ['/clone/z/long.test.ts', '/clone/a.test.ts', '/clone/b/longer.test.ts', '/clone/a/b.test.ts'];
  const named = ['b/longer.test.ts', 'z/long.test.ts', 'gone.test.ts'];
  expect(namedFirst(paths, (path) => path, named)).toEqual([paths[2], paths[0], paths[1], paths[3]]);
  expect(namedFirst(paths, (path) => path, ['ong.test.ts'])).toEqual(paths);
});

test.each(Object.entries(longestFiles))('the longest files of the suite %s are there', (_suite, files) => {
  expect(files.filter((file) => !existsSync(fromRoot(file)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
});
