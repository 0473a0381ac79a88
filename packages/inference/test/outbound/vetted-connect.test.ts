import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { Fetcher } from '../../src/outbound/fetcher.js';
import { OutboundPolicy } from '../../src/outbound/outbound-policy.js';
import type { ResolveName } from '../../src/outbound/vetted-connect.js';

/** A server on 127.0.0.1, and how many connections it has had. */
async function canary() {
  let connections = 0;
  const server = createServer((_, response) => response.end('reached'));
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

function fetcher(allowedNetworks: readonly string[], resolve: ResolveName): Fetcher {
  const made = new Fetcher(new OutboundPolicy({ allowedNetworks }), {}, resolve);
  onTestFinished(() => made.close());
  return made;
}

const addresses = (...all: string[]) =>
  all.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }));

test.each([
  [['127.0.0.1']],
  [['::1']],
  [['::ffff:127.0.0.1']],
  [['64:ff9b::7f00:1']],
  [['0.0.0.0']],
  [['169.254.169.254']],
  [['fe80::1%eth0']],
  [['10.1.2.3', '127.0.0.1']],
  [['127.0.0.1', '10.1.2.3']],
  [[]],
])('a name that stands for %j is refused, and nothing reached', async (all) => {
  const { port, connections } = await canary();
  const from = fetcher(['10.0.0.0/8'], async () => addresses(...all));
  await expect(from.get(`http://shop.example:${port}/`, {})).rejects.toMatchObject({
    name: 'OutboundRefused',
    message: `shop.example:${port} is not on port 80 or 443`,
  });
  await expect(from.get('http://shop.example/', {})).rejects.toMatchObject({
    name: 'OutboundRefused',
    message: 'shop.example has no public address',
  });
  expect(connections()).toBe(0);
});

test('a name is held against the policy at each connection, whatever it stood for before', async () => {
  const { port, connections } = await canary();
  const answers = ['127.0.0.1', '127.0.0.2'];
  const from = fetcher(['127.0.0.1/32'], async () => addresses(answers.shift() ?? ''));
  const url = `http://shop.example:${port}/`;
  const { body } = await from.get(url, { connection: 'close' });
  expect(await text(body)).toBe('reached');
  await expect(from.get(url, {})).rejects.toMatchObject({ name: 'OutboundRefused' });
  expect(connections()).toBe(1);
});

test('callers of one name wait for one answer, and nobody waits for another name', async () => {
  const { port } = await canary();
  const asked: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const from = fetcher(['127.0.0.1/32'], async (hostname) => {
    asked.push(hostname);
    if (hostname === 'slow.example') await released;
    return addresses('127.0.0.1');
  });
  const get = async (host: string) => text((await from.get(`http://${host}:${port}/`, {})).body);
  const slow = Array.from({ length: 20 }, () => get('slow.example'));
  expect(await get('fast.example')).toBe('reached');
  release();
  expect(await Promise.all(slow)).toEqual(new Array(20).fill('reached'));
  expect(asked).toEqual(['slow.example', 'fast.example']);
});
