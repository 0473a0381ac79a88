import { expect, it } from 'vitest';
import { requirements } from './pypi.ts';

it('reads versions, and which packages are compiled here', () => {
  const listed = requirements('requirements.txt');
  expect(listed).toContainEqual({ name: 'hnswlib', version: '0.8.0', compiled: true });
  expect(listed).toContainEqual({ name: 'faiss-cpu', version: '1.15.1', compiled: false });
});

it('asks for one version of what several lists name, as they share an environment', () => {
  const versions = new Map(
    (['requirements.txt', 'databases.txt', 'pictures.txt'] as const).flatMap((list) =>
      requirements(list).map(({ name, version }) => [name, version] as const),
    ),
  );
  const lists = ['databases.txt', 'pictures.txt', 'encoders.txt'] as const;
  const both = lists.flatMap((list) => requirements(list)).filter(({ name }) => versions.has(name));
  expect(both.map(({ name }) => name)).toContain('numpy');
  for (const { name, version } of both) expect(versions.get(name), name).toBe(version);
});
