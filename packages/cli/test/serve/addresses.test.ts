import type { KeyStore } from '@pelorus/keys';
import { type Config, readConfig } from '@pelorus/server';
import { expect, test } from 'vitest';
import { exposureOf, localUrlOf, requireKeyBeyondLoopback, urlOf } from '../../src/serve/addresses.js';
import { StartFailure } from '../../src/start-failure.js';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://0.0.0.0:80', 'http://127.0.0.1:80'],
  ['::', 'http://[::]:80', 'http://[::1]:80'],
  ['fe80::1', 'http://[fe80::1]:80', 'http://[fe80::1]:80'],
])('bound to %s it is at %s, and this machine finds it at %s', (address, url, local) => {
  expect([urlOf({ address, port: 80 }), localUrlOf({ address, port: 80 })]).toEqual([url, local]);
});

const loopback = ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'];
const reachable = ['0.0.0.0', '::', '192.168.1.5', '2001:db8::1', '::ffff:10.0.0.1', '128.0.0.1'];

const withKey = { isRequired: true } as KeyStore;
const withoutKey = { isRequired: false } as KeyStore;
const config = (keysEnforcement: Config['keysEnforcement']) => ({
  ...readConfig({ PELORUS_HOST: 'box' }),
  keysEnforcement,
});

test.each(loopback)('nobody else reaches %s: no key is needed', (address) => {
  expect(exposureOf([{ address, port: 80 }], config('off'))).toBeUndefined();
  for (const mode of ['full', 'contract', 'off'] as const) requireKeyBeyondLoopback(address, withoutKey, config(mode));
});

test.each(reachable)('others reach %s: a key is needed, or the word of the operator', (address) => {
  for (const mode of ['full', 'contract'] as const) {
    const refused = () => requireKeyBeyondLoopback(address, withoutKey, config(mode));
    expect(refused).toThrow(/^other machines can reach box, and there is no key: .*--keys-enforcement off$/);
    expect(refused).toThrow(StartFailure);
    requireKeyBeyondLoopback(address, withKey, config(mode));
    expect(exposureOf([{ address, port: 80 }], config(mode))).toBeUndefined();
  }
  requireKeyBeyondLoopback(address, withoutKey, config('off'));
  const said = exposureOf(
    [
      { address: '127.0.0.1', port: 80 },
      { address, port: 80 },
    ],
    config('off'),
  );
  expect(said).toContain(`reach ${urlOf({ address, port: 80 })},`);
});
