import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/**
 * Sorts test files so that those that `longest` names, by the ends of their paths, begin first, in its order: the last
 * to begin keeps its core alone once the others are done. All others follow, the larger ones first.
 */
export function longestFirst(longest: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return namedFirst(await super.sort(files), ({ moduleId }) => moduleId, longest);
    }
  };
}

/** All others stay in their order. */
export function namedFirst<T>(files: readonly T[], pathOf: (file: T) => string, named: readonly string[]): T[] {
  const place = (file: T) => {
    const at = named.findIndex((name) => pathOf(file).endsWith(`/${name}`));
    return at === -1 ? named.length : at;
  };
  return files.toSorted((a, b) => place(a) - place(b));
}
