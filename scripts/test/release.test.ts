import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../paths.mjs';
import { billOfMaterials, crateComponent, npmComponent } from '../release/bill-of-materials.mjs';
import { packagesBehind } from '../release/locked-packages.mjs';
import { notices } from '../release/notices.mjs';
import { PLATFORMS } from '../release/platforms.mjs';
import { requireOneVersion } from '../release/staged-packages.mjs';

test('the platforms of packages are those that the workflow builds add-ons for', () => {
  const workflow = readFileSync(join(ROOT, '.github', 'workflows', 'prebuilt.yml'), 'utf8');
  const built = [...workflow.matchAll(/platform: (\S+?), .*target: ([^\s,]+)/g)].map(([, name, target]) => ({
    name,
    target,
  }));
  expect(PLATFORMS.map(({ name, target }) => ({ name, target }))).toEqual(built);
});

test('all packages of the clone have one version', () => {
  expect(requireOneVersion).not.toThrow();
});

test('the command runs with what its dependencies need, and with packages of ours in place of foreign ones', () => {
  const behind = packagesBehind('packages/pelorus');
  const at = (path: string) => behind.find((one) => one.path === `node_modules/${path}`);
  expect(at('fastify')?.isOurs).toBe(false);
  expect(at('@pelorus/server')?.folder).toBe(join(ROOT, 'packages', 'server'));
  expect(at('onnxruntime-node')?.name).toBe('@pelorus/onnxruntime');
  expect(at('better-sqlite3')?.name).toBe('@pelorus/sqlite');
  // Needs of these foreign ones, of one platform, and of the clone alone.
  for (const absent of ['adm-zip', 'global-agent', 'node-addon-api', '@napi-rs/nice', 'vitest', '@types/node']) {
    expect(at(absent), absent).toBeUndefined();
  }
});

test('a notice names each part with its licence, and prints a text that many have once', () => {
  const text = 'Permission is hereby granted';
  const part = (name: string, texts: string[]) => ({ name, version: '1.0.0', license: 'MIT', folder: '', texts });
  const told = notices([part('a', [text]), part('b', [`${text}\r\n`]), part('c', [])]);
  expect(told).toContain('a 1.0.0: MIT\nb 1.0.0: MIT\nc 1.0.0: MIT (its publisher sends no text along)\n');
  expect(told).toContain('Of a, b:');
  expect(told.split(text)).toHaveLength(2);
  expect(notices([])).toBe('This package holds no work of others.\n');
});

test('a bill of materials names each part by a package URL, with the hash of the lock files', () => {
  const npm = npmComponent({ name: '@a/b', version: '1.0.0', license: 'MIT', integrity: `sha512-${btoa('hash')}` });
  const crate = crateComponent({
    name: 'c',
    version: '2.0.0+x',
    license: 'MIT',
    repository: null,
    folder: '',
    checksum: '0a',
  });
  const bill = billOfMaterials({ name: 'pelorus', version: '1.0.0', license: 'Apache-2.0' }, [npm, crate, npm]);
  expect(bill.components).toHaveLength(2);
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { purl: 'pkg:npm/pelorus@1.0.0' } },
    components: [
      { purl: 'pkg:npm/%40a/b@1.0.0', hashes: [{ alg: 'SHA-512', content: Buffer.from('hash').toString('hex') }] },
      { purl: 'pkg:cargo/c@2.0.0%2Bx', hashes: [{ alg: 'SHA-256', content: '0a' }] },
    ],
  });
});
