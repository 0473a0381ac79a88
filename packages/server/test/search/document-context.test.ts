import { expect, test } from 'vitest';
import { documentContext } from '../../src/search/document-context.js';
import { readRecommendation } from '../../src/search/recommendation.js';
import { searchRequest } from './requests.js';

const contextOf = (json: string) => documentContext(searchRequest(JSON.parse(json)), Buffer.from(json));
const recommend = (json: string) => readRecommendation(JSON.parse(json), Buffer.from(json));
const defaults = {
  tensorFields: null,
  excludeInputDocuments: true,
  allowMissingDocuments: false,
  allowMissingEmbeddings: false,
};

test('a search without documents in its context has none', () => {
  expect(contextOf('{"q":"a"}')).toBeNull();
  expect(contextOf('{"context":{"tensor":[{"vector":[1],"weight":1}],"documents":null}}')).toBeNull();
});

test('documents keep the order of the request, those whose ids are numbers too', () => {
  expect(contextOf('{"context":{"documents":{"ids":{"b":1,"10":-2,"2":0}}}}')).toEqual({
    ...defaults,
    documents: [
      { id: 'b', weight: 1 },
      { id: '10', weight: -2 },
      { id: '2', weight: 0 },
    ],
  });
  expect(recommend('{"documents":{"b":1,"10":-2}}').context.documents.map(({ id }) => id)).toEqual(['b', '10']);
  expect(recommend('{"documents":["b","10","2","b"]}').context.documents).toEqual([
    { id: 'b', weight: 1 },
    { id: '10', weight: 1 },
    { id: '2', weight: 1 },
  ]);
});

test('parameters take the place of defaults, null does not', () => {
  const parameters = { tensorFields: ['t'], excludeInputDocuments: false, allowMissingDocuments: null };
  expect(contextOf(JSON.stringify({ context: { documents: { ids: { a: 1 }, parameters } } }))).toEqual({
    ...defaults,
    documents: [{ id: 'a', weight: 1 }],
    tensorFields: ['t'],
    excludeInputDocuments: false,
  });
});

test('one of them must have a say', () => {
  const text = 'No documents with non-zero weight provided';
  expect(() => contextOf('{"context":{"documents":{"ids":{"a":0,"b":0}}}}')).toThrow(text);
  expect(() => recommend('{"documents":{"a":0}}')).toThrow(text);
  expect(() => recommend('{"documents":[]}')).toThrow('No document IDs provided');
});

test('a recommendation is a search by vectors with the members it shares with one', () => {
  const { request } = recommend('{"documents":["a"],"limit":3,"offset":null,"filter":"a:b","efSearch":50}');
  expect(request).toMatchObject({ searchMethod: 'TENSOR', limit: 3, offset: 0, filter: 'a:b', efSearch: 50 });
});
