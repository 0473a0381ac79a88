import { registryNames } from '@pelorus/inference';
import { expect, test } from 'vitest';
import { nearestNames } from '../../src/models/nearest-names.js';

const names = registryNames();

test.each([
  ['hf/all-minilm-l6', 'hf/all-MiniLM-L6-v1'],
  ['e5-base', 'hf/e5-base'],
  ['hf/e5_small_v2', 'hf/e5-small-v2'],
  ['ViT-L-14/openai', 'open_clip/ViT-L-14/openai'],
])('%s is most like %s', (typed, name) => {
  expect(nearestNames(typed, names)[0]).toBe(name);
});

test('a name like no other has none beside it, and one like many has three', () => {
  expect(nearestNames('zzzqqq', names)).toEqual([]);
  expect(nearestNames('', names)).toEqual([]);
  expect(nearestNames('open_clip/vit', names)).toHaveLength(3);
});
