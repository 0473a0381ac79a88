import { describe, expect, it } from 'vitest';
import { IndexNames } from '../src/names.js';

describe('names of indexes on a cluster', () => {
  const names = new IndexNames('pelorus');

  it('tell cases apart, which theirs do not', () => {
    expect(names.alias('My-index_1')).toBe('pelorus-~4dy~2dindex_1');
    expect(names.alias('my-index_1')).not.toBe(names.alias('My-index_1'));
  });

  it.each(['a', 'My-index_1', 'é', 'a~2d', 'a.v1.1'])('read back: %s', (name) => {
    expect(names.read(names.first(name))).toEqual({ name, mappingVersion: 3 });
  });

  it.each(['pelorus-a', 'pelorus-a-b.v1.1', 'other-a.v1.1', 'pelorus.suggestions', 'pelorus-a.v1.1.bak'])(
    'are not those of somebody else: %s',
    (physical) => expect(names.read(physical)).toBeUndefined(),
  );

  it.each(['', 'A', '1a', 'a-b', 'a*'])('have no prefix by which others would be matched: %s', (prefix) => {
    expect(() => new IndexNames(prefix)).toThrow('the prefix of indexes');
  });
});
