import { expect, test } from 'vitest';
import { exposureOf, localUrlOf, urlOf } from '../../src/serve/addresses.js';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://0.0.0.0:80', 'http://127.0.0.1:80'],
  ['::', 'http://[::]:80', 'http://[::1]:80'],
  ['fe80::1', 'http://[fe80::1]:80', 'http://[fe80::1]:80'],
])('bound to %s it is at %s, and this machine finds it at %s', (address, url, local) => {
  expect([urlOf({ address, port: 80 }), localUrlOf({ address, port: 80 })]).toEqual([url, local]);
});

test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('nobody else reaches %s', (address) => {
  expect(exposureOf([{ address, port: 80 }])).toBeUndefined();
});

test.each(['0.0.0.0', '::', '192.168.1.5', '2001:db8::1', '::ffff:10.0.0.1', '128.0.0.1'])(
  'others reach %s',
  (address) => {
    const said = exposureOf([
      { address: '127.0.0.1', port: 80 },
      { address, port: 80 },
    ]);
    expect(said).toContain(`reach ${urlOf({ address, port: 80 })},`);
  },
);
