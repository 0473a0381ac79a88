import { expect } from 'vitest';
import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

type Expected = Omit<Exchange, 'title' | 'request' | 'body'>;

const search = (title: string, body: unknown, expected: Expected, index = 'plain', query = ''): Exchange => ({
  title,
  request: `POST /indexes/${index}/search${query}`,
  body,
  ...expected,
});
const unprocessable = (loc: (string | number)[], type: string): Expected => ({
  status: 422,
  code: 'unprocessable_entity',
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const invalid = (message: string, code = 'invalid_argument'): Expected => ({ status: 400, code, message });
const hits = (...ids: string[]): Expected => ({ status: 200, answer: { hits: ids.map((_id) => ({ _id })) } });
const tooLarge = (message: string): Expected => ({ status: 413, code: 'payload_too_large', message });
const vector = (...numbers: unknown[]) => ({ customVector: { vector: numbers } });

const timedOut: Expected = {
  status: 504,
  code: 'vector_store_timeout',
  message: 'Vector store request timed out. Try your request again later.',
};

const long = 'a'.repeat(1024 * 1024 + 1);
const hybrid = { searchMethod: 'HYBRID' };

export const searches: Exchange[] = [
  search('no body', undefined, unprocessable([], 'value_error.missing')),
  { ...search('no time at all', { q: 'a' }, timedOut), headers: { 'x-request-timeout-ms': '0' } },
  ...['soon', '-1', '1.5', '600001'].map((time) => ({
    ...search(
      `a time of ${time}`,
      { q: 'a' },
      {
        status: 422,
        answer: { detail: [{ loc: ['header', 'x-request-timeout-ms'] }] },
      },
    ),
    headers: { 'x-request-timeout-ms': time },
  })),
  search('a list', [], unprocessable([], 'type_error.dict')),
  search('malformed JSON', "{'q': 1}", unprocessable([1], 'value_error.jsondecode')),
  search('500,000 levels', `{"q":${'['.repeat(500_000)}`, unprocessable([68], 'value_error.jsondecode')),
  search('a body above the limit', ' '.repeat(9 * 1024 * 1024), { status: 413, code: 'payload_too_large' }),
  search('members by the hundred thousand', `{"q":{${members(400_000)}}}`, tooLarge('20000 names, texts')),
  search('numbers by the million', `{"q":[${'1,'.repeat(3_000_000)}1]}`, tooLarge('300000 values')),
  search(
    'a vector of too many numbers',
    { q: vector(...Array(4_097).fill(1)) },
    unprocessable(['q', 'customVector', 'vector'], 'value_error.list.max_items'),
  ),
  search('half a character', String.raw`{"q":"\ud800"}`, unprocessable(['q'], 'value_error')),
  ...[
    ['the query', { q: long }, 'q'],
    ['a weighted text', { q: { a: 1, [long]: 1 } }, 'q'],
    ['the content of a vector', { q: { customVector: { vector: [1, 2], content: long } }, ...hybrid }, 'q'],
    ['the words of a hybrid search', { ...hybrid, hybridParameters: { queryLexical: long } }, 'queryLexical'],
    ['the text of a hybrid search', { ...hybrid, hybridParameters: { queryTensor: long } }, 'queryTensor'],
  ].map(([what, body, name]) =>
    search(
      `more than a million characters as ${what}`,
      body,
      invalid(`${name} has a text of 1048577 characters, which is more than the allowed limit of [1048576]`),
    ),
  ),
  search('a limit beyond integers', { q: 'a', limit: 1e30 }, unprocessable(['limit'], 'value_error.number.not_le')),
  search('nothing to look for', {}, unprocessable(['__root__'], 'value_error')),
  search('an unknown method', { q: 'a', searchMethod: 'MAGIC' }, unprocessable(['searchMethod'], 'type_error.enum')),
  search('an unknown member', { q: 'a', highlights: true }, unprocessable(['highlights'], 'value_error.extra')),
  search('a limit that is no number', { q: 'a', limit: 'ten' }, unprocessable(['limit'], 'type_error.integer')),
  search('a query that is a list', { q: ['a'] }, { status: 422, code: 'unprocessable_entity' }),
  search(
    'a context of no shape',
    { context: { tensor: [{ vector: [1] }] } },
    invalid('[{"loc": ["tensor", 0, "weight"], "msg": "field required", "type": "value_error.missing"}]'),
    'own',
  ),
  search('NaN in a vector', '{"q":{"customVector":{"vector":[NaN]}}}', unprocessable([32], 'value_error.jsondecode')),
  search(
    'a vector beyond doubles',
    '{"q":{"customVector":{"vector":[1e400,0]}}}',
    unprocessable(['q', 'customVector', 'vector', 0], 'type_error.float'),
    'own',
  ),
  search(
    'a boolean in a vector',
    { q: vector(true, 0) },
    unprocessable(['q', 'customVector', 'vector', 0], 'type_error.float'),
    'own',
  ),
  search('a boolean as a weight', { q: { a: true } }, unprocessable(['q', 'a'], 'type_error.float')),
  search(
    'a boolean in a context vector',
    { context: { tensor: [{ vector: [1, false], weight: 1 }] } },
    invalid('"loc": ["tensor", 0, "vector", 1], "msg": "value is not a valid float"'),
    'own',
  ),
  ...['limit', 'offset', 'efSearch'].map((name) =>
    search(`a boolean as ${name}`, { q: 'a', [name]: true }, unprocessable([name], 'type_error.integer')),
  ),
  search(
    'a boolean as a threshold',
    { q: 'a', approximateThreshold: true },
    unprocessable(['approximateThreshold'], 'type_error.float'),
  ),
  search(
    'a boolean as alpha',
    { q: 'a', searchMethod: 'HYBRID', hybridParameters: { alpha: true } },
    unprocessable(['hybridParameters', 'alpha'], 'type_error.float'),
  ),
  search('an unknown device', { q: 'a' }, invalid("doesn't start with a known device type"), 'plain', '?device=tpu'),
  search('a limit of 0', { q: 'a', limit: 0 }, invalid('greater than 0', 'illegal_requested_doc_count')),
  search(
    'a limit above the most',
    { q: 'a', limit: 1001 },
    invalid('MARQO_MAX_SEARCH_LIMIT', 'illegal_requested_doc_count'),
  ),
  search('an empty weighted query', { q: {} }, invalid('Received empty dictionary')),
  search(
    'a field name that is none',
    { q: 'a', searchableAttributes: ['a.b'] },
    invalid("Illegal character '.'", 'invalid_field_name'),
  ),
  search(
    'a field that no document has',
    { q: 'a', searchableAttributes: ['zzz'] },
    invalid('has no tensor field zzz', 'invalid_field_name'),
  ),
  search(
    'a field that is not declared',
    { q: 'a', searchableAttributes: ['zzz'] },
    invalid('Index shop has no tensor field zzz', 'invalid_field_name'),
    'shop',
  ),
  search(
    'a field name of the tensor leg that is none',
    { q: 'a', searchMethod: 'HYBRID', hybridParameters: { searchableAttributesTensor: ['a.b'] } },
    invalid("Illegal character '.'", 'invalid_field_name'),
  ),
  search(
    'a returned field that is not declared',
    { q: 'a', attributesToRetrieve: ['zzz'] },
    invalid('Index shop has no field zzz. Available fields are: ', 'invalid_field_name'),
    'shop',
  ),
  search('no tensor fields at all', { q: 'a' }, invalid('Index bare has no tensor fields'), 'bare'),
  search('an empty filter', { q: 'a', filter: '' }, invalid('Cannot parse empty filter string')),
  search('a filter that ends early', { q: 'a', filter: '(a:b' }, invalid('Error parsing filter')),
  search('a range that ends early', { q: 'a', filter: 'a:[1 TO 5' }, invalid('Expected ] after the upper limit')),
  search(
    'a filter that is too deep',
    { q: 'a', filter: `${'('.repeat(500)}a:b${')'.repeat(500)}` },
    { status: 400, code: 'invalid_argument' },
  ),
  search('text for a model that embeds nothing', { q: 'a' }, { status: 400, code: 'invalid_argument' }, 'own'),
  search(
    'a picture in a network that is not public',
    { q: 'http://127.0.0.1/a.PNG?sig=SECRET' },
    invalid('`http://127.0.0.1/a.PNG`. Reason: 127.0.0.1 is not a public address'),
    'pictures',
  ),
  search(
    'a picture among weighted texts of a hybrid search',
    { searchMethod: 'HYBRID', hybridParameters: { queryLexical: 'a', queryTensor: { 'http://[::1]/a.jpg': 1 } } },
    invalid('`http://[::1]/a.jpg`. Reason: ::1 is not a public address'),
    'pictures',
  ),
  search('a film on an index for pictures alone', { q: 'https://x.example/a.mp4' }, hits(), 'pictures'),
  search(
    'the address of a picture, as words',
    { q: 'http://x.example/a.jpg', searchMethod: 'LEXICAL' },
    hits(),
    'pictures',
  ),
  search('the address of a film, as a text', { q: 'http://x.example/a.mp4', limit: 1 }, { status: 200 }),
  search('a vector of another length', { q: vector(1, 2, 3) }, invalid('Expected dimension 2 but got 3'), 'own'),
  search('a vector beyond floats', { q: vector(1e39, 0) }, invalid('1e+39'), 'own'),
  search(
    'all there is, and so left out',
    {
      context: {
        tensor: [
          { vector: [1, 0], weight: 1 },
          { vector: [1, 0], weight: -1 },
        ],
      },
    },
    invalid('zero magnitude', 'bad_request'),
    'own',
  ),
  search(
    'a ranker without a field',
    { q: 'a', reRanker: 'owl/ViT-B/32' },
    invalid('reRanker needs searchableAttributes'),
  ),
  search(
    'several searches at once',
    { queries: [{ index: 'plain', q: 'a', limit: 10 }] },
    { status: 404, code: 'not_found', message: 'no bulk search' },
    'bulk',
  ),
  search('no index called bulk', { q: 'a' }, { status: 404, code: 'index_not_found' }, 'bulk'),
  search('searches in a search', { queries: [] }, unprocessable(['queries'], 'value_error.extra')),
  search(
    'no such index',
    { q: 'a' },
    { status: 404, code: 'index_not_found', message: 'Index nope not found' },
    'nope',
  ),

  search(
    'by vectors',
    { q: 'red shoe', limit: 1, searchableAttributes: ['title'] },
    {
      status: 200,
      answer: {
        hits: [{ _id: 'known', _score: expect.closeTo(1, 5), _highlights: [{ title: 'red shoe' }] }],
        query: 'red shoe',
        limit: 1,
        offset: 0,
      },
    },
  ),
  search('by words', { q: 'shoe', searchMethod: 'lexical' }, hits('known')),
  search(
    'by both',
    { q: 'red shoe', searchMethod: 'HYBRID', limit: 1 },
    {
      status: 200,
      answer: { hits: [{ _id: 'known', _tensor_score: expect.any(Number), _lexical_score: expect.any(Number) }] },
    },
  ),
  search(
    'by words, with what clients always send',
    {
      q: 'shoe',
      searchMethod: 'LEXICAL',
      limit: 10,
      offset: 0,
      showHighlights: true,
      searchableAttributes: null,
      reRanker: null,
      boost: null,
    },
    hits('known'),
  ),
  search(
    'by both, the vectors without weight: nothing is embedded, so that a model that cannot is no hindrance',
    { q: 'nowhere', searchMethod: 'HYBRID', hybridParameters: { alpha: 0 } },
    hits(),
    'own',
  ),
  search(
    'by both, the vectors without weight: words alone find',
    { q: 'shoe', searchMethod: 'HYBRID', hybridParameters: { alpha: 0 } },
    hits('known'),
  ),
  search(
    'by both, the words without weight: vectors alone find',
    { q: 'red shoe', searchMethod: 'HYBRID', hybridParameters: { alpha: 1 }, limit: 1 },
    hits('known'),
  ),
  search('with a filter', { q: 'red shoe', filter: 'color:blue' }, hits('other')),
  search('with weights', { q: { 'red shoe': 1, 'blue hat': -0.5 }, limit: 1 }, hits('known')),
  search('by a vector of one’s own', { q: vector(0, 1), limit: 1 }, hits('north'), 'own'),
  search('by context alone', { context: { tensor: [{ vector: [1, 0], weight: 2 }] }, limit: 1 }, hits('east'), 'own'),
  search(
    'some fields only',
    { q: 'shoe', searchMethod: 'LEXICAL', attributesToRetrieve: [] },
    {
      status: 200,
      answer: { hits: [{ _id: 'known', _score: expect.any(Number), _highlights: [] }] },
    },
  ),
];

const recommend = (title: string, body: unknown, expected: Expected, index = 'own'): Exchange => ({
  title,
  request: `POST /indexes/${index}/recommend`,
  body,
  ...expected,
});
const notFound = 'The following document IDs were not found: nope, none';
const context = (ids: unknown, parameters?: unknown) => ({ context: { documents: { ids, parameters } } });

/** Vectors of documents in a search, and recommendations, which are nothing else. Index `own` has north, east, and bare. */
export const recommendations: Exchange[] = [
  search('by a document', context({ north: 1 }), hits('east'), 'own'),
  search(
    'by a document among the hits',
    context({ north: 1 }, { excludeInputDocuments: false }),
    hits('north', 'east'),
    'own',
  ),
  search('by a document and a vector', { q: vector(0, 1), ...context({ east: 0.1 }) }, hits('north'), 'own'),
  search('by documents that are not there', context({ nope: 1, none: 1, east: 1 }), invalid(notFound), 'own'),
  search(
    'by words and documents',
    { q: 'a', ...context({ east: 1 }) },
    invalid('Model no_model makes no vectors'),
    'own',
  ),
  search(
    'by documents, words only',
    { q: 'a', searchMethod: 'LEXICAL', ...context({ east: 1 }) },
    { ...unprocessable(['__root__'], 'value_error') },
    'own',
  ),
  search(
    'by more documents than allowed',
    context(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`d${i}`, 1]))),
    invalid('Maximum allowed is 10, but got 11', 'illegal_requested_doc_count'),
    'own',
  ),

  recommend('no body', undefined, unprocessable([], 'value_error.missing')),
  {
    ...recommend('no time at all', { documents: ['north'] }, timedOut),
    headers: { 'x-request-timeout-ms': '0' },
  },
  recommend('no documents', {}, unprocessable(['documents'], 'value_error.missing')),
  recommend('documents that are none', { documents: 5 }, { status: 422, code: 'unprocessable_entity' }),
  recommend('an unknown member', { documents: ['east'], q: 'a' }, unprocessable(['q'], 'value_error.extra')),
  recommend('a body above the limit', ' '.repeat(2 * 1024 * 1024), tooLarge('1048576 bytes')),
  recommend('an empty list', { documents: [] }, invalid('No document IDs provided')),
  recommend('no weight', { documents: { east: 0 } }, invalid('No documents with non-zero weight provided')),
  recommend(
    'an unknown interpolation',
    { documents: ['east'], interpolationMethod: 'berp' },
    {
      ...unprocessable(['interpolationMethod'], 'type_error.enum'),
    },
  ),
  recommend('no fields', { documents: ['east'], tensorFields: [] }, invalid('must be non-empty list')),
  recommend(
    'too deep',
    { documents: ['east'], limit: 2000 },
    invalid('MARQO_MAX_SEARCH_LIMIT', 'illegal_requested_doc_count'),
  ),
  recommend(
    'a ranker',
    { documents: ['east'], reRanker: 'x' },
    invalid('reRanker needs a query that is a text', 'bad_request'),
  ),
  recommend('a filter that is none', { documents: ['east'], filter: '(' }, { status: 400, code: 'invalid_argument' }),
  recommend('no such index', { documents: ['a'] }, { status: 404, code: 'index_not_found' }, 'nope'),
  recommend('documents that are not there', { documents: ['nope', 'east', 'none'] }, invalid(notFound)),
  recommend('a document without vectors', { documents: ['east', 'bare'] }, invalid('do not have embeddings: bare')),
  recommend(
    'fields that nobody has',
    { documents: ['east'], tensorFields: ['zzz'] },
    invalid('do not have embeddings: east'),
  ),
  recommend(
    'an undeclared field',
    { documents: ['x'], tensorFields: ['zzz'] },
    invalid('Tensor field "zzz" not found in index "shop". Available tensor fields: title', 'invalid_field_name'),
    'shop',
  ),
  recommend(
    'nothing that is left',
    { documents: ['nope', 'bare'], allowMissingDocuments: true, allowMissingEmbeddings: true },
    invalid('could not collect any vectors'),
  ),
  recommend(
    'all there is, and so left out',
    { documents: { east: 1, north: -1 }, interpolationMethod: 'lerp', limit: 1 },
    hits(),
  ),

  recommend('like one, which is left out', { documents: ['north'] }, hits('east')),
  recommend('like one, which is not', { documents: ['north'], excludeInputDocuments: false, limit: 1 }, hits('north')),
  recommend(
    'nearer to the heavier one',
    { documents: { north: 1, east: 3 }, excludeInputDocuments: false },
    {
      ...hits('east', 'north'),
    },
  ),
  recommend(
    'a missing document is passed over',
    { documents: ['nope', 'north'], allowMissingDocuments: true },
    hits('east'),
  ),
  recommend('under a filter', { documents: ['north'], filter: 'NOT _id:east' }, hits()),
  recommend(
    'every member null',
    {
      documents: ['north'],
      ...Object.fromEntries(
        [
          'tensorFields',
          'interpolationMethod',
          'excludeInputDocuments',
          'allowMissingDocuments',
          'allowMissingEmbeddings',
          'limit',
          'offset',
          'filter',
          'searchableAttributes',
          'attributesToRetrieve',
          'showHighlights',
          'efSearch',
          'approximate',
          'approximateThreshold',
          'reRanker',
          'scoreModifiers',
          'rerankDepth',
        ].map((name) => [name, null]),
      ),
    },
    { status: 200, answer: { query: null, limit: 10, offset: 0, hits: [{ _id: 'east' }] } },
  ),
];

const embed = (title: string, body: unknown, expected: Expected, index = 'plain', query = ''): Exchange => ({
  title,
  request: `POST /indexes/${index}/embed${query}`,
  body,
  ...expected,
});

export const embeds: Exchange[] = [
  embed('no body', undefined, unprocessable([], 'value_error.missing')),
  embed('no content', {}, unprocessable(['content'], 'value_error.missing')),
  embed('an empty list', { content: [] }, unprocessable(['content'], 'value_error.list.min_items')),
  embed('an empty dictionary', { content: {} }, unprocessable(['content'], 'value_error.list.min_items')),
  embed(
    'an empty dictionary in a list',
    { content: ['a', {}] },
    unprocessable(['content', 1], 'value_error.list.min_items'),
  ),
  embed(
    'too many entries',
    { content: Array(129).fill('a') },
    unprocessable(['content'], 'value_error.list.max_items'),
  ),
  embed(
    'an unknown kind of content',
    { content: 'a', content_type: 'image' },
    unprocessable(['content_type'], 'type_error.enum'),
  ),
  embed('a boolean as a weight', { content: { a: true } }, unprocessable(['content', 'a'], 'type_error.float')),
  embed('an unknown member', { content: 'a', prefix: 'b' }, unprocessable(['prefix'], 'value_error.extra')),
  embed('a body above the limit', ' '.repeat(5 * 1024 * 1024), tooLarge('4194304 bytes')),
  embed('weighted texts by the hundred thousand', `{"content":{${members(300_000)}}}`, tooLarge('20000 names, texts')),
  embed(
    'more than a million characters',
    { content: ['a', long] },
    invalid('content has a text of 1048577 characters'),
  ),
  embed('1,025 weighted texts', `{"content":{${members(1025)}}}`, invalid('at most 1024 texts')),
  embed(
    'a picture that is none',
    { content: ['a', { 'data:image/png;base64,AAAA': 1 }] },
    invalid('`data:image/[omitted]`. Reason: '),
    'pictures',
  ),
  embed('an unknown device', { content: 'a' }, invalid("doesn't start with"), 'plain', '?device=tpu'),
  embed('a model that embeds nothing', { content: 'a' }, { status: 400, code: 'invalid_argument' }, 'own'),
  embed('no such index', { content: 'a' }, { status: 404, code: 'index_not_found' }, 'nope'),
  embed(
    'one text',
    { content: 'a', content_type: null },
    {
      status: 200,
      answer: { content: 'a', embeddings: [expect.any(Array)], processingTimeMs: expect.any(Number) },
    },
  ),
  embed('a number', '{"content": 10}', { status: 200, answer: { content: 10 } }),
  embed(
    'texts and weighted texts',
    { content: ['a', { b: 1, c: -2 }], content_type: 'document' },
    {
      status: 200,
      answer: { content: ['a', { b: 1, c: -2 }], embeddings: [expect.any(Array), expect.any(Array)] },
    },
  ),
];
