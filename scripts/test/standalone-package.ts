import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, expect, test } from 'vitest';
import { StagedPackages } from '../release/staged-packages.mjs';
import { pack } from '../release/tarballs.mjs';

/**
 * The tests of a package that is published by itself and needs nothing else.
 * @param name its folder
 * @returns the folder of the package as npm packs it
 */
export function standalonePackageTests(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `pelorus-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const staged = new StagedPackages(join(folder, 'staged'), null).standalone(name);
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

  return staged;
}
