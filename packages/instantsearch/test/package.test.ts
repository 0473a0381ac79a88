import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { standalonePackageTests } from '../../../scripts/test/standalone-package.js';
import { bundleOf } from '../../client/test/bundle.js';

describe('the published package', () => {
  const staged = standalonePackageTests('instantsearch');

  test('is taken by `require` and by `import`', () => {
    const program = `
      const { instantSearchClient } = require(${JSON.stringify(staged)} + '/dist/index.js');
      const client = instantSearchClient({ url: 'http://127.0.0.1:1' });
      client.search([{ indexName: 'a' }]).catch(({ name }) => console.log(name));`;
    expect(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' })).toBe('TypeError\n');
  });
});

test('a bundle, compressed by gzip, has at most 6 kB', async () => {
  const file = fileURLToPath(new URL('../dist/index.js', import.meta.url));
  const bundle = await bundleOf(`export * from ${JSON.stringify(file)}`);
  expect(gzipSync(bundle).length / 1000).toBeLessThanOrEqual(6);
});
