import { Writable } from 'node:stream';
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
