import { readConfig } from '@pelorus/server';
import { expect, test } from 'vitest';
import { indexProcess } from '../../src/hosted/serve-hosted.js';

test('the process of an index loads the same native engine as its gateway', () => {
  const { env } = indexProcess(readConfig(), { PELORUS_NATIVE_PATH: '/elsewhere/pelorus.node' });
  expect(env.PELORUS_NATIVE_PATH).toBe('/elsewhere/pelorus.node');
});

test('the process of an index gets no secret from the environment', () => {
  const { env } = indexProcess(readConfig(), { PATH: '/bin', PELORUS_ADMIN_KEY: 'secret', HF_TOKEN: 'secret' });
  expect(Object.keys(env).sort()).toEqual(['PATH', 'PELORUS_INDEX_CONFIG']);
});
