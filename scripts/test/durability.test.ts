import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFaults } from '../drill/faults.mjs';
import { fromRoot, ROOT } from '../paths.mjs';

/** The Rust sources below a folder, one after the other. */
function sourcesBelow(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries
    .filter((name) => name.endsWith('.rs'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

const page = readFileSync(fromRoot('docs', 'design', 'durability.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| \d+ \|/.test(line));
const faults = readFaults();

test('each fault of others has a row, and each test that a row names exists', () => {
  expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
  const sources = sourcesBelow(fromRoot('crates'));
  const names = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string));
  const isThere = (name: string): boolean =>
    name.endsWith('.ts') ? existsSync(fromRoot(name)) : sources.includes(`fn ${name}(`);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});

test('planted faults are numbered without gaps, and each names the tests that it must fail', () => {
  expect(faults.map(({ number }) => number)).toEqual(faults.map((_, at) => at + 1));
  expect(faults.length).toBeGreaterThanOrEqual(24);
  for (const { title, tests } of faults) {
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(tests.length).toBeGreaterThan(0);
    for (const { command, args } of tests) {
      expect([command, args[0]]).toEqual(['cargo', 'test']);
      const crate = args[args.indexOf('-p') + 1]?.replace('pelorus-', '') ?? '';
      expect(existsSync(fromRoot('crates', crate, 'Cargo.toml')), crate).toBe(true);
    }
  }
});

test.each(faults)('fault $number still applies: $title', ({ path }) => {
  const { status, stderr } = spawnSync('git', ['apply', '--check', path], { cwd: ROOT, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
