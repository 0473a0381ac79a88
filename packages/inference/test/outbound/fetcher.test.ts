import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { Fetcher } from '../../src/outbound/fetcher.js';
import { OutboundPolicy, type OutboundRules } from '../../src/outbound/outbound-policy.js';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function fetcher(rules: OutboundRules): Fetcher {
  const made = new Fetcher(new OutboundPolicy(rules));
  onTestFinished(() => made.close());
  return made;
}

const loopback = { allowedNetworks: ['127.0.0.0/8'] };

test('an allowed address is fetched from', async () => {
  const origin = await serve((_, response) => response.end('weights'));
  const { status, body } = await fetcher(loopback).get(origin, {});
  expect([status, await text(body)]).toEqual([200, 'weights']);
});

test('a name with a private address and one without any are refused in the same words', async () => {
  for (const name of ['localhost', 'no-such-name.invalid']) {
    const error = await fetcher({})
      .get(`http://${name}/`, {})
      .catch((thrown) => thrown);
    expect(error, name).toMatchObject({ name: 'OutboundRefused', message: `${name} has no public address` });
  }
});

test('a connection that fails does not tell the address that was tried', async () => {
  const error = await fetcher(loopback)
    .get('http://127.0.0.1:1/', {})
    .catch((thrown) => thrown);
  expect(error.message).toBe('the connection failed (ECONNREFUSED)');
});

test('a trusted origin cannot send the fetcher on to a private address', async () => {
  const secret = await serve((_, response) => response.end('metadata'));
  const hub = await serve((_, response) => response.writeHead(302, { location: `${secret}/latest` }).end());
  await expect(fetcher({ trustedOrigins: [hub] }).get(hub, {})).rejects.toThrow('127.0.0.1 is not a public address');
});

test('credentials do not follow a redirect to another origin', async () => {
  const seen: (string | undefined)[] = [];
  const store = await serve((request, response) => {
    seen.push(request.headers.authorization, request.headers.range);
    response.end('weights');
  });
  const hub = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(307, { location: `${store}/x` }).end();
  });
  const headers = { authorization: 'Bearer token', range: 'bytes=5-' };
  const { body } = await fetcher(loopback).get(hub, headers);
  await text(body);
  expect(seen).toEqual(['Bearer token', undefined, 'bytes=5-']);
});

test('redirects end after three', async () => {
  let hops = 0;
  const origin = await serve((_, response) => response.writeHead(302, { location: `/${++hops}` }).end());
  await expect(fetcher(loopback).get(origin, {})).rejects.toThrow('more than 3 redirects');
  expect(hops).toBe(4);
});

test('headers of the first answer are kept through redirects', async () => {
  const origin = await serve((request, response) =>
    request.url === '/x'
      ? response.end('weights')
      : response.writeHead(302, { location: '/x', 'x-linked-etag': 'abc' }).end(),
  );
  const { firstHeaders, headers, body } = await fetcher(loopback).get(origin, {});
  await text(body);
  expect(firstHeaders['x-linked-etag']).toBe('abc');
  expect(headers['x-linked-etag']).toBeUndefined();
});

test('a body may be given up unread', async () => {
  const origin = await serve((_, response) => response.writeHead(200, { 'content-length': 100 }).write('some'));
  const { body } = await fetcher(loopback).get(origin, {});
  body.destroy();
  expect(body.destroyed).toBe(true);
});
