import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { standalonePackageTests } from '../../../scripts/test/standalone-package.js';
import { bundleOf } from './bundle.js';

const kilobytes = async (program: string): Promise<number> => gzipSync(await bundleOf(program)).length / 1000;

describe('the published package', () => {
  const staged = standalonePackageTests('client');

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
