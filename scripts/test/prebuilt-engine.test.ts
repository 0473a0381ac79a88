import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADDON, fromRoot } from '../paths.mjs';
import { engineIn } from '../prebuilt-engine.mjs';

const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
const SOURCES = 'the fingerprint of the sources';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-prebuilt-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Fills the folder as npm would from a package. */
function packageWith({ of = version, from = SOURCES, addon = true }: { of?: string; from?: string; addon?: boolean }) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: of, pelorus: { rustSources: from } }));
  if (addon) symlinkSync(process.env.PELORUS_NATIVE_PATH || ADDON, join(folder, 'pelorus.node'));
}

// Windows lets few users make links.
test.skipIf(process.platform === 'win32')('an engine of this version and these sources is taken', () => {
  packageWith({});
  expect(engineIn(folder, SOURCES)).toBe(join(folder, 'pelorus.node'));
});

test.each([
  ['another version', { of: '0.0.1' }],
  ['other sources', { from: 'another fingerprint' }],
  ['no file', { addon: false }],
])('a package with %s is passed over', (_difference, content) => {
  packageWith(content);
  expect(engineIn(folder, SOURCES)).toBeNull();
});

test('an engine that does not load here is passed over, and so is a folder without a package', () => {
  expect(engineIn(folder, SOURCES)).toBeNull();
  packageWith({ addon: false });
  writeFileSync(join(folder, 'pelorus.node'), 'half of a file');
  expect(engineIn(folder, SOURCES)).toBeNull();
});
