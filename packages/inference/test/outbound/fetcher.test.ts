import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { Fetcher, type FetchManners } from '../../src/outbound/fetcher.js';
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

function fetcher(rules: OutboundRules, manners: FetchManners = {}): Fetcher {
  const made = new Fetcher(new OutboundPolicy(rules), manners);
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

test('a name in an allowed network is reached on any port, and another on those of the web alone', async () => {
  const origin = await serve((_, response) => response.end('weights'));
  const { port } = new URL(origin);
  const inside = fetcher({ allowedNetworks: ['127.0.0.0/8', '::1/128'] });
  expect(await text((await inside.get(`http://localhost:${port}/`, {})).body)).toBe('weights');
  const refused = { name: 'OutboundRefused', message: `localhost:${port} is not on port 80 or 443` };
  const elsewhere = fetcher({ allowedNetworks: ['10.0.0.0/8'] });
  await expect(elsewhere.get(`http://localhost:${port}/`, {})).rejects.toMatchObject(refused);
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
  await expect(fetcher({ trustedOrigins: [hub] }).get(hub, {})).rejects.toThrow(
    'a redirect leads to a place that may not be reached',
  );
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

test('to another origin no header of the caller goes where none may, not even on the way back', async () => {
  const seen: unknown[] = [];
  const record = (request: IncomingMessage) => seen.push([request.headers['x-key'], request.headers['user-agent']]);
  const other = await serve((request, response) => {
    record(request);
    response.writeHead(302, { location: `${shop}/back` }).end();
  });
  const shop = await serve((request, response) => {
    record(request);
    if (request.url === '/back') return response.end('picture');
    return response.writeHead(302, { location: request.url === '/' ? '/moved' : other }).end();
  });
  const polite = fetcher(loopback, { crossOrigin: 'nothing', userAgent: 'Marqobot/1.0' });
  const { body } = await polite.get(shop, { 'X-Key': 'secret', 'User-Agent': 'mine' });
  await text(body);
  const [mine, nobody] = [
    ['secret', 'mine'],
    [undefined, 'Marqobot/1.0'],
  ];
  expect(seen).toEqual([mine, mine, nobody, nobody]);
});

test('an endless body of a redirect is not read to its end', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/there') return response.end('weights');
    response.writeHead(302, { location: '/there' });
    const more = () => response.write(Buffer.alloc(8192)) && setImmediate(more);
    response.on('drain', more);
    return more();
  });
  const { body } = await fetcher(loopback).get(origin, {});
  expect(await text(body)).toBe('weights');
});

test.each(['http://[', 'http://'])('a redirect to %s is refused', async (location) => {
  const origin = await serve((_, response) => response.writeHead(302, { location }).end());
  await expect(fetcher(loopback).get(origin, {})).rejects.toThrow('a redirect leads to what is no URL');
});

test('redirects end after three', async () => {
  let hops = 0;
  const origin = await serve((_, response) => response.writeHead(302, { location: `/${++hops}` }).end());
  await expect(fetcher(loopback).get(origin, {})).rejects.toThrow('there are more than 3 redirects');
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

test('a body is sent to one place, and to none that it leads on to', async () => {
  const seen: string[] = [];
  const origin = await serve(async (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['x-key']} ${await text(request)}`);
    if (request.url === '/moved') response.writeHead(307, { location: '/' }).end();
    else response.writeHead(201, { 'x-made': 'yes' }).end('made');
  });
  const { signal } = new AbortController();
  const poster = fetcher(loopback);
  const { status, headers, body } = await poster.post(origin, { 'X-Key': 'secret' }, 'a body', signal);
  expect([status, headers['x-made'], await text(body)]).toEqual([201, 'yes', 'made']);
  await expect(poster.post(`${origin}/moved`, {}, 'a body', signal)).rejects.toMatchObject({
    name: 'OutboundRefused',
    message: 'it answers with a redirect, which is not followed',
  });
  await expect(fetcher({}).post(origin, {}, 'a body', signal)).rejects.toThrow('127.0.0.1 is not a public address');
  expect(seen).toEqual(['POST / secret a body', 'POST /moved undefined a body']);
});

test('a body that nobody wants an answer to any more is given up', async () => {
  const gone = new AbortController();
  const origin = await serve(() => gone.abort(new Error('gone')));
  await expect(fetcher(loopback).post(origin, {}, 'a body', gone.signal)).rejects.toThrow('gone');
});
