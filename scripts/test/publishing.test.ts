import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../paths.mjs';
import { pathsIn, refusePaths } from '../release/machine-paths.mjs';
import { unpublished, wholeRelease } from '../release/publishing.mjs';
import { packageNames } from '../release/staged-packages.mjs';
import { pack, readTarball } from '../release/tarballs.mjs';

const version = '1.2.3';
const packed = (name: string, integrity = `sha512-${name}`) => ({ name, version, integrity });

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-publishing-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a release that failed half-way publishes what is left of it', () => {
  const published = new Map([['a@1.2.3', 'sha512-a']]);
  const left = unpublished([packed('a'), packed('b')], (name) => published.get(name) ?? null);
  expect(left).toEqual([packed('b')]);
});

test('a release of other bytes than were published in its version is refused', () => {
  const publishing = () => unpublished([packed('b'), packed('a')], (name) => (name === 'a@1.2.3' ? 'sha512-z' : null));
  expect(publishing).toThrow('The registry has another a@1.2.3, of sha512-z');
});

test('a release is published whole, and what others ask for first', () => {
  const names = packageNames();
  expect([names.length, names.at(-1)]).toEqual([new Set(names).size, 'pelorus']);
  const tarballs = names.map((name) => packed(name)).reverse();
  expect(wholeRelease(tarballs, names, version).map(({ name }) => name)).toEqual(names);
  expect(() => wholeRelease(tarballs.slice(1), names, version)).toThrow('missing in 1.2.3: pelorus.');
  expect(() => wholeRelease(tarballs, names, '1.2.4')).toThrow('missing in 1.2.4');
});

test('a tarball is read as it was packed', () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@pelorus/some', version }));
  const made = pack(folder, join(folder, 'to'));
  expect(made.integrity).toMatch(/^sha512-/);
  expect(readTarball(made.path)).toEqual(made);
});

test.each([
  ['the clone', `${ROOT}/crates/text/src/lib.rs`],
  ['crates on a machine like this', '/root/.cargo/registry/src/index/serde-1.0.0/src/lib.rs'],
  ['crates on Windows', 'C:\\Users\\me\\.cargo\\registry\\src\\index\\serde-1.0.0\\src\\lib.rs'],
])('paths of %s are found in a package', (_, path) => {
  const file = join(emptyFolder(), 'some.tgz');
  writeFileSync(file, gzipSync(`code\0${path}\0code`));
  expect(pathsIn(file)).not.toEqual([]);
  writeFileSync(file, gzipSync('code\0/cargo/registry/src/index/serde-1.0.0/src/lib.rs\0/pelorus/crates/text\0code'));
  expect(pathsIn(file)).toEqual([]);
  writeFileSync(file, `code\0${path}\0code`);
  expect(() => refusePaths(file)).toThrow(/some\.tgz holds paths of this machine: /);
});
