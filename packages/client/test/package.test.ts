import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, describe, expect, test } from 'vitest';
import { StagedPackages } from '../../../scripts/release/staged-packages.mjs';
import { pack } from '../../../scripts/release/tarballs.mjs';
import { bundleOf } from './bundle.js';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kilobytes = async (program: string): Promise<number> => gzipSync(await bundleOf(program)).length / 1000;

describe('the published package', () => {
  const staged = new StagedPackages(join(folder, 'staged'), null).client();
  const { path, files } = pack(staged, folder);

  test('holds code, types and what every package has, and asks for no other package', async () => {
    const names: string[] = files.map((file: { path: string }) => file.path).sort();
    expect(names.filter((name) => !/^dist\/[\w/-]+\.(d\.ts|js)$/.test(name))).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES.txt',
      'package.json',
      'sbom.cdx.json',
    ]);
    const manifest = JSON.parse(await readFile(join(staged, 'package.json'), 'utf8'));
    for (const member of ['dependencies', 'devDependencies', 'peerDependencies', 'scripts', 'bin']) {
      expect(manifest).not.toHaveProperty(member);
    }
    const code = await Promise.all(
      names.filter((name) => name.startsWith('dist/')).map((name) => readFile(join(staged, name), 'utf8')),
    );
    const imports = code.flatMap((text) => [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]);
    expect(
      imports.map(([, name]) => name).filter((name) => !name?.startsWith('./') && !name?.startsWith('../')),
    ).toEqual([]);
  });

  test('breaks no rule of publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: staged, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('has types for every resolution that finds its code', async () => {
    const { problems } = (await checkPackage(createPackageFromTarballData(await readFile(path)))) as {
      problems: any[];
    };
    // The one resolution without support is that of the time before `exports`. CommonJS takes the module by `require`, as
    // every Node that is supported can.
    const others = problems.filter(
      ({ kind, resolutionKind }) => resolutionKind !== 'node10' && kind !== 'CJSResolvesToESM',
    );
    expect(others).toEqual([]);
  });

  test('is taken by `require` and by `import`', () => {
    const program = `
      const { Pelorus } = require(${JSON.stringify(staged)} + '/dist/index.js');
      new Pelorus({ url: 'http://127.0.0.1:1' }).health().catch(({ name }) => console.log(name));`;
    expect(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' })).toBe('ConnectionError\n');
  });
});

describe('a bundle, compressed by gzip,', () => {
  const from = (file: string) => fileURLToPath(new URL(`../dist/${file}`, import.meta.url));

  test('has at most 15 kB with everything', async () => {
    expect(await kilobytes(`export * from ${JSON.stringify(from('index.js'))}`)).toBeLessThanOrEqual(15);
  });

  test.each(['index.js', 'search.js'])('has at most 6 kB with searches alone, from %s', async (file) => {
    const bundle = `export { PelorusSearch } from ${JSON.stringify(from(file))}`;
    expect(await kilobytes(bundle)).toBeLessThanOrEqual(6);
    expect(await bundleOf(bundle)).not.toContain('delete-batch');
  });
});
