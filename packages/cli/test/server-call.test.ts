import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { callerOf, indexPath } from '../src/api.js';
import { callServer, NoAnswer, serverUrl } from '../src/server-call.js';
import { ExitCode, StartFailure } from '../src/start-failure.js';
import { Api } from '../src/transfer/api.js';
import { REMOTES } from '../src/transfer/remote/names.js';
import { openRemote } from '../src/transfer/remote/open-remote.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where nothing listens. */
async function closedPort(): Promise<string> {
  const url = await serve(() => {});
  const server = servers.pop() as Server;
  server.close();
  await once(server, 'close');
  return url;
}

const never = async (): Promise<never> => {
  throw new Error('A wait for another try');
};

test('a name of an index leads to no path of another', () => {
  for (const name of ['', '.', '..']) {
    expect(() => indexPath(name)).toThrow(`The index is "${name}", but must have a name of letters, digits, - and _`);
  }
  for (const name of ['...', '../x', '%2e%2e', 'a b', 'films?x#y']) {
    const { pathname, search, hash } = new URL(`${indexPath(name)}/stats`, 'http://127.0.0.1');
    expect([decodeURIComponent(pathname), search, hash]).toEqual([`/indexes/${name}/stats`, '', '']);
  }
});

describe.each([301, 302, 303, 307, 308])('a redirect with %i', (status) => {
  test('is not followed, so that no key goes to where it points', async () => {
    const seen: IncomingMessage[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(request);
      response.end('{}');
    });
    const url = await serve((_, response) => response.writeHead(status, { location: `${elsewhere}/x` }).end());
    const said = `${url} answers GET /a with a redirect to ${elsewhere}/x, which is not followed`;
    const server = { url, apiKey: 'secret' };
    await expect(new Api(server, { wait: never }).send('GET', '/a')).rejects.toThrow(said);
    await expect(new Api(server, { wait: never }).send('POST', '/a', '{}')).rejects.toThrow('which is not followed');
    await expect(callerOf(url, 'secret')('GET', '/a')).rejects.toThrow(said);
    expect(seen).toEqual([]);
  });
});

describe('a key', () => {
  test.each(['sk-secret\nline2', 'sk-secret\r', 'sk secret', 'sk-secrét', 'sk-secret€', '\u001bsk-secret'])(
    'that no header carries is refused before anything is sent, and not shown: %j',
    async (apiKey) => {
      const seen: IncomingMessage[] = [];
      const url = await serve((request, response) => {
        seen.push(request);
        response.end('{}');
      });
      const said = new StartFailure(
        ExitCode.BAD_CONFIGURATION,
        `The key for ${url} must have visible ASCII characters alone, without spaces and line breaks`,
      );
      await expect(callerOf(url, apiKey)('GET', '/a')).rejects.toEqual(said);
      await expect(new Api({ url, apiKey }, { wait: never }).send('GET', '/a')).rejects.toEqual(said);
      for (const name of REMOTES) {
        const place = { name, url: `${url}/products`, key: apiKey, vector: undefined };
        await expect(openRemote(place)).rejects.toEqual(said);
      }
      expect(seen).toEqual([]);
    },
  );

  test('is none when it is empty, as a variable without a value is', async () => {
    const keys: unknown[] = [];
    const url = await serve(({ headers }, response) => {
      keys.push(headers['x-api-key']);
      response.end('{}');
    });
    await callerOf(url, '')('GET', '/a');
    await callerOf(url, 'sk-1')('GET', '/a');
    expect(keys).toEqual([undefined, 'sk-1']);
  });
});

describe('an answer', () => {
  const small = { bytesMax: 100_000, headersMs: 60_000, stallMs: 60_000 };

  test.each([
    ['as it is', (bytes: Buffer) => bytes, {}],
    ['compressed', gzipSync, { 'content-encoding': 'gzip' }],
  ])('without an end is read no further than its bound, %s', async (_, encode, headers) => {
    let closed: Promise<unknown> | undefined;
    const url = await serve((_request, response) => {
      closed = once(response, 'close');
      response.writeHead(200, headers);
      const part = encode(Buffer.alloc(50_000, ' '));
      const more = () => {
        while (!response.destroyed && response.write(part));
      };
      response.on('drain', more);
      more();
    });
    await expect(callServer({ url, apiKey: undefined }, 'GET', '/a', undefined, small)).rejects.toThrow(
      'answers GET /a with more than 100000 bytes, which is not read',
    );
    await closed;
  });

  test('as long as it may be is read', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(100_000, 'x')));
    const { body } = await callServer({ url, apiKey: undefined }, 'GET', '/a', undefined, small);
    expect(body.length).toBe(100_000);
  });

  test('is given up when it never begins', async () => {
    const url = await serve(() => {});
    const bounds = { ...small, headersMs: 20 };
    const asked = callServer({ url, apiKey: undefined }, 'GET', '/a', undefined, bounds);
    await expect(asked).rejects.toThrow(new NoAnswer('no answer within 0.02 s'));
    const said = `${url} is too slow (no answer within 0.02 s): try again later, or name the address of another server`;
    await expect(callerOf(url, undefined, bounds)('GET', '/a')).rejects.toMatchObject({ exitCode: 9, message: said });
  });

  test.each([
    ['stops', () => {}],
    ['trickles', (response: ServerResponse) => setInterval(() => response.write(' '), 1).unref()],
  ])('that %s is given up', async (_, go) => {
    const url = await serve((_request, response) => {
      response.write('{');
      go(response);
    });
    const asked = callServer({ url, apiKey: undefined }, 'GET', '/a', undefined, { ...small, stallMs: 20 });
    await expect(asked).rejects.toThrow(NoAnswer);
    await expect(asked).rejects.toThrow(/^the answer stopped after \d+ bytes$/);
  });

  test.each(['<html>', '[]', 'null', ''])('that is no JSON object is told: %s', async (body) => {
    const url = await serve((_, response) => response.end(body));
    await expect(callerOf(url)('GET', '/a')).rejects.toThrow('with what is no JSON object');
  });
});

test.each([
  ['not_found', 'There is no such path: in the hosted form each index has an endpoint of its own, which --url takes'],
  ['missing_api_key', 'There is no such path: give one with --api-key or in PELORUS_API_KEY'],
  ['index_not_found', 'There is no such path'],
])('a refusal of the kind %s is told with what to do', async (code, said) => {
  const url = await serve((_, response) =>
    response.writeHead(404).end(JSON.stringify({ message: 'There is no such path', code })),
  );
  await expect(callerOf(url)('GET', '/indexes')).rejects.toThrow(`${said} (${code})`);
});

describe('a port where nothing listens', () => {
  test('is told at once, with what to do', async () => {
    const url = await closedPort();
    const said = new RegExp(`^No server answers at ${url} \\(.*ECONNREFUSED.*\\): start one with`);
    await expect(new Api({ url, apiKey: undefined }, { wait: never }).send('GET', '/a')).rejects.toThrow(said);
    await expect(callerOf(url)('GET', '/a')).rejects.toThrow(said);
  });

  test('is tried again where a server answered before', async () => {
    const url = await serve((_, response) => response.end('{}'));
    const waits: number[] = [];
    const api = new Api({ url, apiKey: undefined }, { wait: async (milliseconds) => waits.push(milliseconds) });
    await api.send('GET', '/a');
    const server = servers.pop() as Server;
    server.close().closeAllConnections();
    await once(server, 'close');
    await expect(api.send('GET', '/a')).rejects.toThrow(/does not serve GET \/a: .*ECONNREFUSED/);
    expect(waits).toHaveLength(11);
  });
});

test('a server that says nothing any more is given up after a second try, and it is said that it is waited for', async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked += 1;
    if (asked === 1) response.end('{}');
  });
  const said: string[] = [];
  const waiting = { wait: async () => {}, say: (line: string) => said.push(line) };
  const api = new Api({ url, apiKey: undefined }, waiting, { bytesMax: 1000, headersMs: 1000, stallMs: 60_000 });
  await api.send('GET', '/a');
  // A slow machine is told of, too.
  said.length = 0;
  await expect(api.send('POST', '/b', '{}')).rejects.toThrow(`${url} does not serve POST /b: no answer within 1 s`);
  expect(asked).toBe(3);
  expect(said).toEqual([
    `${url} has not answered for 0.2 s; each answer has 1 s`,
    expect.stringMatching(/^no answer within 1 s \(trying again in /),
  ]);
});

test('an address may have a path, as that of a hosted index has', async () => {
  const paths: (string | undefined)[] = [];
  const url = await serve(({ url: path }, response) => {
    paths.push(path);
    response.end('{}');
  });
  await callServer({ url: serverUrl('--url', `${url}/e/0d80/`), apiKey: undefined }, 'GET', '/indexes/a/settings');
  expect(paths).toEqual(['/e/0d80/indexes/a/settings']);
});

test.each(['', 'localhost:8882', '127.0.0.1', 'ftp://x', 'http://user:secret@host', 'http://user@host'])(
  'an address that is none is refused: %s',
  (text) => {
    expect(() => serverUrl('--url', text)).toThrow(/^--url is ".*", but must be an http or https address/);
    expect(() => serverUrl('--url', text)).not.toThrow('secret');
  },
);
