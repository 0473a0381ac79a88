import { expect, test } from 'vitest';
import { send } from './exchange.js';
import { openService } from './service.js';

const REQUESTS = 16;

test('lists that change other fields of one document at once lose none of their values and vectors', async () => {
  const { app, close, responses } = await openService();
  const names = Array.from({ length: REQUESTS }, (_, i) => `field${i}`);
  expect((await send(app, { request: 'POST /indexes/crowded', body: { model: 'random/small' } })).statusCode).toBe(200);

  const written = await Promise.all(
    names.map((name) =>
      send(app, {
        request: 'PUT /indexes/crowded/documents',
        body: [{ _id: 'one', [name]: `text of ${name}`, [`${name}_n`]: 1 }],
      }),
    ),
  );

  const results = written.map((answer) => answer.json().items[0].result);
  expect(results.toSorted()).toEqual(['created', ...Array(REQUESTS - 1).fill('updated')]);
  const read = await send(app, { request: 'GET /indexes/crowded/documents/one?expose_facets=true' });
  const { _id, _tensor_facets: facets, ...fields } = read.json();
  expect(fields).toEqual(
    Object.fromEntries(
      names.flatMap((name) => [
        [name, `text of ${name}`],
        [`${name}_n`, 1],
      ]),
    ),
  );
  const embedded = facets.map(({ _embedding, ...chunk }: object & { _embedding: unknown }) => Object.keys(chunk)[0]);
  expect(embedded.toSorted()).toEqual(names.toSorted());
  expect(responses.faults).toEqual([]);
  await close();
});
