import { expect, test } from 'vitest';
import { isRunByNpm } from '../../src/serve/stop-on-signal.js';

test.each([
  ["'pelorus'", true],
  ['pelorus serve --data here', true],
  [undefined, false],
  ['node scripts/start.mjs', false],
  ['pelorus serve & node after.js', false],
  ['pelorus-like serve', false],
  ['node build.js && pelorus serve', false],
])('the script %s of npm is a server in the foreground: %s', (npm_lifecycle_script, is) => {
  expect(isRunByNpm({ npm_lifecycle_script })).toBe(is);
});
