import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MediaFetcher, type MediaFetchSettings, type MediaRequest } from '../../src/media/media-fetcher.js';
import { serveMedia, serveRaw } from './media-server.js';
import { picture } from './pictures.js';

/** Only what is on 127.0.0.1 may be reached: the rest of the loopback network stands for the operator's. */
const ALLOWED = ['127.0.0.1/32'];
const PICTURE_MAX = 100_000;
/** A server that is slow must be seen to be, and nothing else may look so on a machine ten times as slow. */
const SLOW = { pictureMs: 300, fileMs: 600 };

function fetcher(settings: Partial<MediaFetchSettings> = {}) {
  const made = new MediaFetcher({ allowedNetworks: ALLOWED, pictureBytesMax: PICTURE_MAX, ...settings });
  onTestFinished(() => made.close());
  return made;
}

/** The bytes at a URL, and what they were taken for. */
async function receive(from: MediaFetcher, url: string, request: Partial<MediaRequest> = {}) {
  const asked = { url, headers: {}, medium: 'image', fileBytesMax: 300_000, priority: 'document', ...request } as const;
  return from.fetch(asked, async ({ medium, length, chunks }) => {
    const received: Uint8Array[] = [];
    for await (const chunk of chunks) received.push(chunk);
    return { medium, length, bytes: Buffer.concat(received) };
  });
}

const failure = (message: string | RegExp) => ({
  name: 'MediaFailure',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});

/** A server that must not be asked: on another address of the loopback network, or wherever the policy forbids. */
async function canary(host: string): Promise<{ readonly port: number; readonly connections: () => number }> {
  let connections = 0;
  const server = createServer((_, response) => response.end(picture(1)));
  server.on('connection', () => connections++);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

test('a picture is fetched whole, with its announced length', async () => {
  const { origin } = await serveMedia({
    '/a.png': picture(1),
    '/chunked.png': (_, response) => response.write(picture(1)) && response.end(),
  });
  const bytes = Buffer.from(picture(1));
  expect(await receive(fetcher(), `${origin}/a.png`)).toEqual({ medium: 'image', length: bytes.length, bytes });
  expect(await receive(fetcher(), `${origin}/chunked.png`)).toEqual({ medium: 'image', length: null, bytes });
});

test('characters outside ASCII are escaped, and escapes stay', async () => {
  const server = await serveMedia({ '/%C3%BC%20%2F.png': picture(1) });
  await receive(fetcher(), `${server.origin}/ü %2F.png?größe=1%26#ü`);
  expect(server.requests.map(({ url }) => url)).toEqual(['/%C3%BC%20%2F.png?gr%C3%B6%C3%9Fe=1%26']);
});

describe('the kind of bytes', () => {
  const files = {
    '/picture': picture(1),
    '/film': Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41', 'latin1'),
    '/sound': Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'),
    '/page': Buffer.from('<html>'),
    '/empty': Buffer.alloc(0),
  };

  test.each([
    ['/picture', 'image'],
    ['/film', 'video'],
    ['/sound', 'audio'],
    ['/page', null],
    ['/empty', null],
  ] as const)('%s is %s, whatever its name and its server say', async (path, medium) => {
    const { origin } = await serveMedia({
      [path]: (_, response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(files[path]),
    });
    const received = await receive(fetcher(), origin + path, { medium: null });
    expect(received).toMatchObject({ medium, bytes: Buffer.from(files[path]) });
  });

  test('a body that is no medium is not read to its end', async () => {
    let closed = false;
    const { origin } = await serveMedia({
      '/page': (request, response) => {
        request.socket.on('close', () => {
          closed = true;
        });
        response.write(' '.repeat(8192));
      },
    });
    const asked = { headers: {}, medium: null, fileBytesMax: 1, priority: 'document' } as const;
    const read = fetcher().fetch({ url: `${origin}/page`, ...asked }, async ({ medium }) => medium);
    expect(await read).toBeNull();
    await expect.poll(() => closed).toBe(true);
  });
});

describe('a server that misbehaves fails its own medium', () => {
  const status =
    (code: number): RequestListener =>
    (_, response) =>
      response.writeHead(code).end();
  const endless: RequestListener = (_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(16_384)));
    };
    response.on('drain', more);
    more();
  };

  test.each([201, 204, 206, 302, 304, 401, 403, 404, 410, 429, 500, 503])('by status %i', async (code) => {
    const { origin } = await serveMedia({ '/': status(code) });
    await expect(receive(fetcher(), origin)).rejects.toMatchObject(failure(`the server answered with status ${code}`));
  });

  test('by headers that never come', async () => {
    const { origin } = await serveRaw(() => undefined);
    await expect(receive(fetcher(SLOW), origin)).rejects.toMatchObject(failure('it did not arrive within 0.3 seconds'));
  });

  test('by headers that come byte by byte', async () => {
    const { origin } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('a'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(receive(fetcher(SLOW), origin)).rejects.toMatchObject(failure('it did not arrive within 0.3 seconds'));
  });

  test.each([
    ['image', '0.3'],
    ['video', '0.6'],
    [null, '0.3'],
  ] as const)('by a body that comes byte by byte, of medium %s', async (medium, seconds) => {
    const { origin } = await serveMedia({
      '/': (_, response) => {
        const timer = setInterval(() => response.write('a'), 20);
        response.on('close', () => clearInterval(timer));
      },
    });
    const received = receive(fetcher(SLOW), origin, { medium });
    await expect(received).rejects.toMatchObject(failure(`it did not arrive within ${seconds} seconds`));
  });

  test('by a redirect whose body never ends', async () => {
    const { origin } = await serveRaw((socket) =>
      socket.write('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 1000\r\n\r\nsome'),
    );
    await expect(receive(fetcher(SLOW), origin)).rejects.toMatchObject(failure('it did not arrive within 0.3 seconds'));
  });

  test.each([
    ['image', PICTURE_MAX],
    ['video', 300_000],
  ] as const)('by an endless body of medium %s', async (medium, bytes) => {
    const { origin } = await serveMedia({ '/': endless });
    await expect(receive(fetcher(), origin, { medium })).rejects.toMatchObject(
      failure(`it has more than ${bytes} bytes, the most that is fetched`),
    );
  });

  test('by announcing too much', async () => {
    const { origin } = await serveRaw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9000000000\r\n\r\nsome'),
    );
    await expect(receive(fetcher(), origin)).rejects.toMatchObject(failure(/^it has more than 100000 bytes/));
  });

  test.each([
    ['content-length: 100\r\n\r\nsome', 'the transfer broke off after 4 of 100 bytes'],
    ['transfer-encoding: chunked\r\n\r\n4\r\nsome\r\n', 'the transfer broke off after 4 bytes'],
  ])('by announcing more than it sends: %j', async (answer, message) => {
    const { origin } = await serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${answer}`));
    for (const medium of ['image', null] as const) {
      await expect(receive(fetcher(), origin, { medium })).rejects.toMatchObject(failure(message));
    }
  });

  test('by announcing less than it sends, which is then all there is', async () => {
    const { origin } = await serveRaw((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nsomething more'),
    );
    const received = await receive(fetcher(), origin).catch((error) => error);
    if (received instanceof Error) expect(received).toMatchObject(failure(/./));
    else expect(received.bytes.toString()).toBe('some');
  });

  test.each([
    'content-length: 4\r\ncontent-length: 5',
    'content-length: -4',
    'content-length: 4\r\ntransfer-encoding: chunked',
    'transfer-encoding: chunked\r\n\r\nZZ\r\nsome',
  ])('by a length that contradicts itself: %j', async (headers) => {
    const { origin } = await serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\nsome`));
    await expect(receive(fetcher(SLOW), origin)).rejects.toMatchObject(failure(/./));
  });

  test('by headers of megabytes', async () => {
    const { origin } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let i = 0; i < 1000; i++) socket.write(`x-${i}: ${'a'.repeat(1000)}\r\n`);
    });
    await expect(receive(fetcher(), origin)).rejects.toMatchObject(
      failure('the connection failed (UND_ERR_HEADERS_OVERFLOW)'),
    );
  });

  test('by what is no HTTP', async () => {
    const { origin } = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    await expect(receive(fetcher(), origin)).rejects.toMatchObject(failure(/^Response does not match the HTTP/));
  });

  test('by a connection that it refuses', async () => {
    await expect(receive(fetcher(), 'http://127.0.0.1:1/')).rejects.toMatchObject(
      failure('the connection failed (ECONNREFUSED)'),
    );
  });

  test.each(['gzip', 'br', 'x-unknown', 'gzip, br'])(
    'by the encoding %s, which was not asked for',
    async (encoding) => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      const server = await serveMedia({
        '/': (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
      });
      for (const medium of ['image', 'video', null] as const) {
        await expect(receive(fetcher(), server.origin, { medium })).rejects.toMatchObject(
          failure(`the server sent it in the encoding '${encoding}', and was asked for 'identity'`),
        );
      }
      expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
    },
  );

  // Stores keep such a header with a file, whatever it means.
  test.each(['identity', '', 'aws-chunked', 'gzip'])(
    'but not by the encoding %j of bytes that are a picture',
    async (encoding) => {
      const { origin } = await serveMedia({
        '/': (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(picture(1)),
      });
      expect((await receive(fetcher(), origin)).bytes).toHaveLength(picture(1).length);
    },
  );
});

describe('redirects', () => {
  test('are followed ten times', async () => {
    const { origin } = await serveMedia(
      Object.fromEntries(
        Array.from({ length: 12 }, (_, i) => [
          `/${i}`,
          i === 11
            ? picture(1)
            : (((_, response) => response.writeHead(302, { location: `/${i + 1}` }).end()) satisfies RequestListener),
        ]),
      ),
    );
    expect((await receive(fetcher(), `${origin}/1`)).bytes).toHaveLength(picture(1).length);
    await expect(receive(fetcher(), `${origin}/0`)).rejects.toMatchObject(failure('there are more than 10 redirects'));
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/a.png', 'data:image/png;base64,aaaa', 'gopher://127.0.0.1/'])(
    'to %s are not followed',
    async (location) => {
      const { origin } = await serveMedia({ '/': (_, response) => response.writeHead(302, { location }).end() });
      await expect(receive(fetcher(), origin)).rejects.toMatchObject(
        failure('a redirect leads to a place that may not be reached'),
      );
    },
  );

  // macOS has this one address of the loopback network alone.
  const hasOthers = process.platform !== 'darwin';
  test.runIf(hasOthers)('to a private address reach nothing, and do not tell the address', async () => {
    const { port, connections } = await canary('127.0.0.2');
    const places = [`127.0.0.2:${port}`, `[::ffff:127.0.0.2]:${port}`, `0x7f000002:${port}`, `2130706434:${port}`];
    for (const place of places) {
      const location = `http://${place}/latest/meta-data`;
      const { origin } = await serveMedia({ '/': (_, response) => response.writeHead(302, { location }).end() });
      await expect(receive(fetcher(), origin), place).rejects.toMatchObject(
        failure('a redirect leads to a place that may not be reached'),
      );
    }
    expect(connections()).toBe(0);
  });
});

describe('no request reaches what the policy forbids', () => {
  const spellings = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://127.1:${port}/`,
    `http://１２７.０.０.１:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://[64:ff9b::7f00:1]:${port}/`,
    `http://user:password@127.0.0.1:${port}/`,
    `http://1.1.1.1@127.0.0.1:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://[::]:${port}/`,
    `http://[::1]:${port}/`,
    `http://169.254.169.254/latest/meta-data/`,
    `http://localhost:${port}/`,
    `ftp://127.0.0.1:${port}/`,
    `file:///etc/hostname`,
  ];

  test('however it is spelt', async () => {
    const { port, connections } = await canary('127.0.0.1');
    for (const url of spellings(port)) {
      for (const allowedNetworks of [[], ['10.0.0.0/8', 'fd00::/8']]) {
        await expect(receive(fetcher({ allowedNetworks }), url), url).rejects.toMatchObject(failure(/./));
      }
    }
    expect(connections()).toBe(0);
    await receive(fetcher(), `http://127.0.0.1:${port}/`);
    expect(connections()).toBe(1);
  });

  test('by a name, and the two kinds of names that have no public address are not told apart', async () => {
    for (const name of ['localhost', 'localhost.', 'no-such-name.invalid']) {
      await expect(receive(fetcher({ allowedNetworks: [] }), `http://${name}/`)).rejects.toMatchObject(
        failure(
          `${name} has no public address. If this destination is intended, add its network to the MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS environment variable`,
        ),
      );
    }
  });
});

describe('connections', () => {
  test('a slow host holds up no other, and has no more than its share', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const slow = await serveMedia({
      '/': async (_, response) => {
        await released;
        response.end(picture(1));
      },
    });
    const fast = await serveMedia({ '/': picture(2) });
    const from = fetcher({ pictureMs: 60_000 });
    const hanging = Array.from({ length: 100 }, () => receive(from, slow.origin));
    await expect.poll(() => slow.requests.length).toBe(32);
    const others = await Promise.all(Array.from({ length: 100 }, () => receive(from, fast.origin)));
    expect(others).toHaveLength(100);
    expect(slow.requests).toHaveLength(32);
    release();
    expect(await Promise.all(hanging)).toHaveLength(100);
  });

  test('are given up when nobody waits any more, also those that wait for one', async () => {
    let open = 0;
    const slow = await serveMedia({
      '/': (request) => {
        open++;
        request.socket.on('close', () => open--);
      },
    });
    const from = fetcher({ pictureMs: 60_000 });
    const controller = new AbortController();
    const { signal } = controller;
    const hanging = Array.from({ length: 40 }, () => receive(from, slow.origin, { signal }));
    await expect.poll(() => open).toBe(32);
    const gone = new Error('gone');
    controller.abort(gone);
    const outcomes = await Promise.allSettled(hanging);
    expect(outcomes.every((one) => one.status === 'rejected' && one.reason === gone)).toBe(true);
    await expect.poll(() => open).toBe(0);
    expect(slow.requests).toHaveLength(32);
  });
});
