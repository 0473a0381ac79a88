import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { fromRoot } from '../paths.mjs';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

const folder = fromRoot('.github', 'workflows');
const names = readdirSync(folder).filter((name) => name.endsWith('.yml'));
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
const jobsOf = (name: string): Readonly<Record<string, Job>> => parse(textOf(name)).jobs;

test.each(names)('%s runs actions by their hashes, with the version beside it', (name) => {
  const used = [...textOf(name).matchAll(/\buses: (.*)$/gm)].map(([, action]) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/);
});

test.each(names)('%s may read and no more, but in the jobs that say so, each of which ends', (name) => {
  expect(parse(textOf(name)).permissions).toEqual({ contents: 'read' });
  for (const [job, { 'timeout-minutes': minutes }] of Object.entries(jobsOf(name))) {
    expect(minutes, job).toBeGreaterThan(0);
  }
});

test.each(names)('%s keeps no credentials beside the sources', (name) => {
  const checkouts = Object.values(jobsOf(name)).flatMap(({ steps }) =>
    steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')),
  );
  for (const step of checkouts) expect(step.with).toMatchObject({ 'persist-credentials': false });
});

test('the site that is published is the one that the command of the documentation builds, of main alone', () => {
  const { build, publish } = jobsOf('docs.yml');
  const runs = build?.steps.flatMap(({ run = [] }) => run);
  expect(runs).toEqual(['npm run docs']);
  const { scripts } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  expect(scripts.docs).toBe('node scripts/docs.mjs');
  const upload = build?.steps.find(({ uses }) => uses?.startsWith('actions/upload-pages-artifact@'));
  const path = String(upload?.with?.path);
  expect(readFileSync(fromRoot('scripts', 'docs.mjs'), 'utf8')).toContain(
    `fromRoot(${path
      .split('/')
      .map((part) => `'${part}'`)
      .join(', ')})`,
  );
  expect(build?.permissions).toBeUndefined();
  expect(publish).toMatchObject({
    if: "github.ref == 'refs/heads/main'",
    needs: 'build',
    permissions: { pages: 'write', 'id-token': 'write' },
  });
});

test('the site is built anew where a page of it, or what builds it, changed', () => {
  const { paths } = parse(textOf('docs.yml')).on.push;
  for (const path of paths.filter((one: string) => !one.startsWith('**'))) {
    // A pattern is of files in the folder before its first star.
    const [whole = ''] = path.split(/\/[^/]*\*/);
    expect(existsSync(fromRoot(...whole.split('/'))), path).toBe(true);
  }
  expect(paths).toContain('**/*.md');
});
