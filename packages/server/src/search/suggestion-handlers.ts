import { invalidArgument, PelorusError, type Problem, UnprocessableError } from '@pelorus/contract';
import type { Call, Handlers, Services } from '../call.js';
import { toBytes, withMembers } from '../http/body.js';
import { broken, PROBLEMS_MAX } from '../validation/problems.js';

type SuggestionOperation =
  | 'suggest'
  | 'indexQueries'
  | 'getQueries'
  | 'scanQueries'
  | 'deleteQueries'
  | 'deleteAllQueries'
  | 'getSuggestionStats';

/** Longest text that suggestions are looked for, in characters. */
const TYPED_LENGTH_MAX = 1024;

/** Queries of a page of all of them, where the request does not say. */
const SCANNED_QUERIES_DEFAULT = 1000;

/** Default weights for the order of suggestions that match equally well. */
const POPULARITY_WEIGHT_DEFAULT = 1;
const BM25_WEIGHT_DEFAULT = 1;

/** Queries that are suggested while somebody types. */
export function suggestionHandlers({ engine, config }: Services): Pick<Handlers, SuggestionOperation> {
  return {
    suggest: async ({ params, body, startedMs }) => {
      if (body.q.length > TYPED_LENGTH_MAX) {
        throw invalidArgument(
          `q has ${body.q.length} characters, which is more than the allowed limit of [${TYPED_LENGTH_MAX}]`,
        );
      }
      const found = await engine.suggest(params.indexName, {
        text: body.q,
        limit: body.limit,
        editsMax: body.fuzzyEditDistance,
        fuzzyCharsMin: body.minFuzzyMatchLength,
        popularityWeight: body.popularityWeight ?? POPULARITY_WEIGHT_DEFAULT,
        bm25Weight: body.bm25Weight ?? BM25_WEIGHT_DEFAULT,
        matchesAll: body.matchAllTokens,
      });
      return { body: withMembers(found, { processingTimeMs: performance.now() - startedMs }) };
    },

    indexQueries: async ({ params, body: { queries }, startedMs }) => {
      checkQueries(queries, config.documentsPerBatchMax);
      const { body } = await engine.putQueries(params.indexName, {
        queries: queries.map(({ query, popularity = 0, metadata = {} }) => ({
          query,
          popularity,
          metadata: JSON.stringify(metadata),
        })),
      });
      return { body: withMembers(body, { processingTimeMs: performance.now() - startedMs }) };
    },

    getQueries: async ({ params, body: queries }) => {
      if (queries.length > config.retrievableDocumentsMax) {
        throw new PelorusError(
          'illegal_requested_doc_count',
          `${queries.length} queries were requested, which is more than the allowed limit of [${config.retrievableDocumentsMax}], set by the environment variable \`MARQO_MAX_RETRIEVABLE_DOCS\``,
        );
      }
      return { body: await engine.getQueries(params.indexName, { queries }) };
    },

    scanQueries: async ({ params, body }) => ({
      body: await engine.scanQueries(params.indexName, {
        cursor: body?.cursor ?? null,
        limit: body?.limit ?? SCANNED_QUERIES_DEFAULT,
      }),
    }),

    deleteQueries: async ({ params, body: queries }) => {
      if (queries.length > config.deletesPerRequestMax) {
        throw invalidArgument(
          `The number of queries to delete \`${queries.length}\` is greater than the limit \`${config.deletesPerRequestMax}\` set by the env var \`MARQO_MAX_DELETE_DOCS_COUNT\`. `,
        );
      }
      await engine.deleteQueries(params.indexName, { queries });
      return { body: toBytes('Queries deleted successfully') };
    },

    deleteAllQueries: async ({ params }) => {
      await engine.deleteAllQueries(params.indexName);
      return { body: toBytes('All queries deleted successfully') };
    },

    getSuggestionStats: async ({ params }) => {
      const { numberOfSuggestions } = await engine.stats(params.indexName);
      return { body: { indexedQueries: numberOfSuggestions } };
    },
  };
}

/** A problem of one query is told before one of their number: the order clients know. */
function checkQueries(queries: Call<'indexQueries'>['body']['queries'], countMax: number): void {
  const problems: Problem[] = [];
  for (const [i, { query }] of queries.entries()) {
    if (problems.length >= PROBLEMS_MAX) break;
    if (query.trim() !== '') continue;
    problems.push(broken(['body', 'queries', i, 'query'], 'query is required and must not be an empty string'));
  }
  if (problems.length > 0) throw new UnprocessableError(problems);
  if (queries.length === 0) throw invalidArgument('Received empty index queries request');
  if (queries.length > countMax) {
    throw invalidArgument(
      `Number of queries in index request (${queries.length}) exceeds limit of ${countMax}. Please break up your request into smaller batches.`,
    );
  }
}
