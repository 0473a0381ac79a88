import { expect, test } from 'vitest';
import { settingGroups, settings } from '../src/config.js';

test('each setting is in one group', () => {
  const grouped = Object.values(settingGroups).flat();
  expect([...grouped].sort()).toEqual(Object.keys(settings).sort());
});
