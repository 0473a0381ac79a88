import { ask, indexPath } from '../api.js';
import { readHits } from '../search/search.js';
import { METHODS } from '../search/search-command.js';
import { bounded, noteOf } from './bounded.js';
import type { Tool } from './tool.js';

interface Given {
  readonly query: string;
  readonly method?: (typeof METHODS)[number];
  readonly filter?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly attributesToRetrieve?: readonly string[];
}

const LIMIT = 10;
const LIMIT_MAX = 50;
const OFFSET_MAX = 1000;
const QUERY_LENGTH_MAX = 10_000;
const FILTER_LENGTH_MAX = 10_000;
/** Below the minute after which clients give up: the reason then reaches the agent. */
export const READ_MS = 55_000;

export const searchTool: Tool<Given> = {
  name: 'search',
  title: 'Search an index',
  description:
    'Finds the documents of an index that fit a query, best first. Each hit has _id, _score, the fields of the ' +
    'document, and what was found in it: _highlights has the nearest part by meaning, _lexicalHighlights the parts ' +
    'with words of the query between **. Scores compare hits of one search alone. Fields of the hits tell what a ' +
    'filter can name.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  parameters: {
    query: {
      ...{ type: 'string', minLength: 1, maxLength: QUERY_LENGTH_MAX },
      description: 'A question or description in plain words, or for lexical the words that must be found',
    },
    method: {
      ...{ type: 'string', enum: METHODS, default: 'hybrid' },
      description: 'tensor finds by meaning, lexical by words such as names and codes, hybrid by both',
    },
    filter: {
      ...{ type: 'string', maxLength: FILTER_LENGTH_MAX },
      description:
        'Only documents that pass: terms field:value, field:(two words), field:[10 TO *], field IN (a, b), joined by ' +
        'AND, OR, NOT and brackets, such as color:red AND price:[* TO 50]',
    },
    limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT, description: 'Most hits' },
    offset: { type: 'integer', minimum: 0, maximum: OFFSET_MAX, default: 0, description: 'Hits to skip' },
    attributesToRetrieve: {
      ...{ type: 'array', maxItems: 100, items: { type: 'string' } },
      description: 'Fields of the documents to return, all when absent; few of them keep the answer short',
    },
  },
  required: ['query'],
  hasIndex: true,
  output: {
    hits: {
      type: 'array',
      items: {
        type: 'object',
        properties: { _id: { type: 'string' }, _score: { type: 'number' } },
        required: ['_id', '_score'],
      },
    },
    note: { type: 'string', description: 'Tells what the answer lacks, where it does' },
  },
  outputRequired: ['hits'],
  answerMs: READ_MS,
  async run({ server, index, given, bounds }) {
    const { query, method = 'hybrid', filter, limit = LIMIT, offset = 0, attributesToRetrieve } = given;
    const body = {
      ...{ q: query, searchMethod: method.toUpperCase(), limit, offset },
      ...(filter !== undefined && { filter }),
      ...(attributesToRetrieve !== undefined && { attributesToRetrieve }),
      ...(method !== 'tensor' && { lexicalHighlights: { preTag: '**', postTag: '**' } }),
    };
    const answer = await ask(server, 'POST', `${indexPath(index)}/search`, body, bounds);
    const fitting = bounded(readHits(answer, server.url).hits);
    const note = noteOf(fitting, 'ask for fewer hits, name attributesToRetrieve, or get one document');
    return { hits: fitting.items, ...(note !== undefined && { note }) };
  },
};
