import { expect, test } from 'vitest';
import { resolveModel } from '../../src/registry/resolve.js';

const far = { type: 'openai', url: 'https://far.example/v1/embeddings', name: 'small', dimensions: 8 };

test('a model that a service computes takes texts, has no size and no files', () => {
  const prefixes = { text_query_prefix: 'q: ', textChunkPrefix: 'p: ' };
  expect(resolveModel('far', { ...far, ...prefixes, send_dimensions: true, timeoutMs: null })).toMatchObject({
    type: 'openai',
    dimensions: 8,
    modalities: ['text'],
    textQueryPrefix: 'q: ',
    textChunkPrefix: 'p: ',
    size: 0,
    embeds: true,
    weights: { kind: 'service', service: { sendsDimensions: true, timeoutMs: 60_000, isOperators: false } },
  });
});

test.each(['apiKey', 'api_key', 'key', 'headers', 'tokens', 'modelLocation'])('%s is no member of its', (name) => {
  const resolving = () => resolveModel('far', { ...far, [name]: 'sk-secret' });
  expect(resolving).toThrow(expect.objectContaining({ code: 'bad_request' }));
  expect(resolving).toThrow(`modelProperties of far: '${name}' is no member of type openai, which has type, name,`);
  expect(resolving).not.toThrow('sk-secret');
});

test.each([
  [{ url: undefined }, "missing key 'url'"],
  [{ name: undefined }, "missing key 'name'"],
  [{ name: '' }, 'name of far must be a string that is not empty'],
  [{ name: 7 }, "modelProperties of far: 'name' must be a string, received a number"],
  [{ url: 'far.example' }, 'the location of far must be an http(s) URL, received far.example'],
  [{ url: 'https://me:pw@far.example/' }, 'a URL without a user name and password'],
  [{ batchInputsMax: 0 }, "'batchInputsMax' must be an integer of 1 to 2048, received 0"],
  [{ type: 'cohere', batchInputsMax: 97 }, "'batchInputsMax' must be an integer of 1 to 96, received 97"],
  [{ timeoutMs: 600_001 }, "'timeoutMs' must be an integer of 1 to 600000, received 600001"],
  [{ timeoutMs: '5' }, `'timeoutMs' must be an integer of 1 to 600000, received "5"`],
  [{ sendDimensions: 1 }, "'sendDimensions' must be true or false, received a number"],
])('%j is refused', (change, reason) => {
  const resolving = () => resolveModel('far', JSON.parse(JSON.stringify({ ...far, ...change })));
  expect(resolving).toThrow(reason);
});
