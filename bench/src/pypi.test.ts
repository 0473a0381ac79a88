import { expect, it } from 'vitest';
import { requirements } from './pypi.ts';

it('reads versions, and which packages are compiled here', () => {
  const listed = requirements('requirements.txt');
  expect(listed).toContainEqual({ name: 'hnswlib', version: '0.8.0', compiled: true });
  expect(listed).toContainEqual({ name: 'faiss-cpu', version: '1.15.1', compiled: false });
});

it('asks for one version of what both lists name, as they share an environment', () => {
  const versions = new Map(requirements('requirements.txt').map(({ name, version }) => [name, version]));
  const both = requirements('databases.txt').filter(({ name }) => versions.has(name));
  expect(both.map(({ name }) => name)).toContain('numpy');
  for (const { name, version } of both) expect(versions.get(name), name).toBe(version);
});
