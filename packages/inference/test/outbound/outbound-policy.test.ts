import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { OutboundPolicy, OutboundRefused } from '../../src/outbound/outbound-policy.js';

const policy = new OutboundPolicy({});

describe('addresses that are not public are refused', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    '',
    'localhost',
    '1.2.3',
  ])('%s', (address) => {
    expect(policy.permits(address)).toBe(false);
  });

  test('so is every address of this machine', () => {
    for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
      expect(policy.permits(address), address).toBe(false);
    }
  });
});

test.each(['1.1.1.1', '8.8.8.8', '99.84.1.1', '2606:4700:4700::1111'])('the public address %s passes', (address) => {
  expect(policy.permits(address)).toBe(true);
});

describe('URLs are refused for what they show', () => {
  test.each([
    ['file:///etc/passwd', 'not http or https'],
    ['ftp://example.com/x', 'not http or https'],
    ['http://user:secret@example.com/', 'may not carry credentials'],
    ['http://example.com:22/', 'not on port 80 or 443'],
    ['http://127.0.0.1/', '127.0.0.1 is not a public address'],
    ['http://2130706433/', '127.0.0.1 is not a public address'],
    ['http://0x7f.1/', '127.0.0.1 is not a public address'],
    ['http://0177.0.0.1/', '127.0.0.1 is not a public address'],
    ['http://[::ffff:127.0.0.1]/', 'not a public address'],
    ['http://[::1]/', 'not a public address'],
    ['http://１２７.0.0.1/', '127.0.0.1 is not a public address'],
  ])('%s', (url, reason) => {
    expect(() => policy.checkUrl(new URL(url))).toThrow(reason);
  });

  test('and pass otherwise', () => {
    for (const url of ['https://example.com/m.zip', 'http://example.com/', 'https://1.1.1.1/']) {
      expect(() => policy.checkUrl(new URL(url)), url).not.toThrow();
    }
  });
});

test('networks that the operator allows pass, on any port, and no others', () => {
  const inside = new OutboundPolicy({ allowedNetworks: ['10.1.0.0/16', '::1/128'] });
  for (const address of ['10.1.2.3', '::1', '::ffff:10.1.2.3']) expect(inside.permits(address), address).toBe(true);
  expect(() => inside.checkUrl(new URL('http://10.1.2.3:9000/'))).not.toThrow();
  expect(inside.permits('10.2.0.1')).toBe(false);
  expect(inside.permits('10.1.2.3', '9000')).toBe(true);
  expect(inside.permits('1.1.1.1', '443')).toBe(true);
  expect(inside.permits('1.1.1.1', '9000')).toBe(false);
});

test('an origin that the operator configured passes, another port of it does not', () => {
  const mirrored = new OutboundPolicy({ trustedOrigins: ['http://127.0.0.1:8080/path'] });
  expect(() => mirrored.checkUrl(new URL('http://127.0.0.1:8080/x'))).not.toThrow();
  expect(() => mirrored.checkUrl(new URL('http://127.0.0.1:8081/x'))).toThrow(OutboundRefused);
});

test('a network that is none fails at the start', () => {
  expect(() => new OutboundPolicy({ allowedNetworks: ['10.0.0.0'] })).toThrow();
});
