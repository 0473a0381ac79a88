import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('describes in the README each bench that the command names, and no other', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const { stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8' });
  const [, names] = /bench -- ([\w|]+) /.exec(stderr) as RegExpExecArray;
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const headings = [...readme.matchAll(/^## ([a-z]+)$/gm)].map(([, heading]) => heading);
  expect(headings.sort()).toEqual((names as string).split('|').sort());
});
