import type instantsearch from 'instantsearch.js';
import { expect, test } from 'vitest';
import { instantSearchClient } from '../src/index.js';

type SearchClient = NonNullable<Parameters<typeof instantsearch>[0]['searchClient']>;

test('the client has the type that InstantSearch asks for', () => {
  const searchClient: SearchClient = instantSearchClient({ url: 'http://127.0.0.1' });
  expect(searchClient.search).toBeTypeOf('function');
});
