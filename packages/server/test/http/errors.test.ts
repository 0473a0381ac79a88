import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { PelorusError } from '@pelorus/contract';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { handleError } from '../../src/http/errors.js';

/** Logs a request that ends with `error`; answers the level, and whether there is a stack. */
async function logged(error: unknown): Promise<[level: number, hasStack: boolean][]> {
  const lines: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  const app = Fastify({ logger: { level: 'warn', stream } });
  app.setErrorHandler(handleError);
  app.get('/', () => {
    throw error;
  });
  await app.inject('/');
  await app.close();
  return lines.map((line) => JSON.parse(line)).map(({ level, err }) => [level, err?.stack !== undefined]);
}

const [WARN, ERROR] = [40, 50];

test.each([
  ['an index that is being deleted', new PelorusError('service_unavailable', 'Index shop is DELETING')],
  ['an error that passes', new PelorusError('internal', 'later', { headers: { 'retry-after': '1' } })],
  ['a deadline', new PelorusError('vector_store_timeout', 'too late')],
])('%s is one line without a stack', async (_about, error) => {
  expect(await logged(error)).toEqual([[WARN, false]]);
});

test.each([
  ['an unexpected error', new Error('boom')],
  [
    'a process that is lost for a reason',
    new PelorusError('service_unavailable', 'gone', { cause: new Error('boom') }),
  ],
])('%s is an error with its stack', async (_about, error) => {
  expect(await logged(error)).toEqual([[ERROR, true]]);
});

test('a mistake of the caller is no line here', async () => {
  expect(await logged(new PelorusError('invalid_argument', 'no'))).toEqual([]);
});

test('a stream whose client went away before it began is no line here', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  const app = Fastify({ logger: { level: 'warn', stream } });
  const handled = Promise.withResolvers<void>();
  app.setErrorHandler((error, request, reply) => {
    handled.resolve();
    return handleError(error, request, reply);
  });
  // A request whose body was read is whole, and so is not aborted with its connection.
  app.post('/', async (_request, reply) => {
    client.destroy();
    await once(reply.raw, 'close');
    return reply.send(Readable.from(['too late']));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi');
  await handled.promise;
  await app.close();
  expect(lines).toEqual([]);
});
