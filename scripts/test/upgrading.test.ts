import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromRoot } from '../paths.mjs';

const textOf = (path: string): string => readFileSync(fromRoot(path), 'utf8');
const notes = textOf('docs/upgrading.md');

/** Rows of the table of forms, and the places of the code where their numbers are. */
test.each([
  ['data directory, `format`', 'crates/engine/src/registry/lock.rs', /const FORMAT: u32 = (\d+);/],
  ['store of an index, `index.redb`', 'crates/store/src/file_header.rs', /const FORMAT_VERSION: u32 = (\d+);/],
  ['keys, shops and records, sealed files', 'packages/files/src/sealed-file.ts', /const FORMAT = (\d+);/],
  ['months of events, `events/`', 'packages/events/src/month-file.ts', /const MONTH_FORMAT = (\d+);/],
  ['figures of events', 'packages/events/src/figures-format.ts', /const FIGURES_FORMAT = (\d+);/],
  ['exports, first line', 'packages/cli/src/transfer/exporting.ts', /\{ format: (\d+), [^}]*curation \}/],
  ['index on a cluster, mapping', 'packages/opensearch/src/names.ts', /const MAPPING_VERSION = (\d+);/],
])('the upgrade notes tell the form of %s', (file, path, pattern) => {
  const told = notes.split('\n').find((line) => line.startsWith(`| ${file} | `));
  const [, form] = pattern.exec(textOf(path)) ?? [];
  expect([form, told?.split(' | ')[1]]).toEqual([expect.stringMatching(/^\d+$/), form]);
});

test('the changelog begins with the version of the repository, which the upgrade notes have too', () => {
  const { version } = JSON.parse(textOf('package.json'));
  expect(/^## (\d+\.\d+\.\d+)/m.exec(textOf('CHANGELOG.md'))?.[1]).toBe(version);
  expect(notes).toContain(`\n### ${version}\n`);
});
