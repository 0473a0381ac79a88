import { indexNotFound, type JsonSchema, operations, PelorusError, truncated } from '@pelorus/contract';
import { mayCall } from '../auth/access.js';
import type { Answer, Call, Handlers, Services } from '../call.js';
import { itemsAskedFor } from '../http/answer-sizes.js';
import { toBytes } from '../http/body.js';
import type { Deadline } from '../http/deadline.js';
import { errorBytes } from '../http/errors.js';
import { parseJsonInTurns } from '../http/json.js';
import { arrayElements, memberBytes } from '../http/json-member.js';
import { faultOr, indexCalled, isMissing } from '../services/called-index.js';
import { checkOf, requireBody } from '../validation/check.js';
import { GatheredQueries } from './gathered-queries.js';
import {
  answerPrepared,
  type EmbeddedQuery,
  embeddedQuery,
  nextPage,
  type PreparedSearch,
  preparedSearch,
} from './search-handlers.js';
import type { SearchRequest } from './shape.js';

/** Searches of one call that the engine is at together, as far as there are places for them. */
const AT_ONCE_MAX = 4;
/** The most times that a call is begun anew, as an index was deleted behind its alias. */
const BEGUN_MAX = 5;
/** Bytes of all answers of a call: as many as one answer of the engine may have. */
const ANSWERS_BYTES_MAX = 128 * 1024 * 1024;

const operation = operations.multiSearch;
const checkEnvelope = checkOf(envelopeOf(operation.body), 'body');
const checkSearchBody = checkOf(operations.search.body, 'body');

/** Several searches in one call: all are checked, then embedded together, then searched. */
export function multiSearchHandlers(services: Services): Pick<Handlers, 'multiSearch'> {
  return { multiSearch: (call) => multiSearch(services, call) };
}

/** A query of the call. */
interface Query {
  /** Its index, or an alias. */
  readonly indexName: string;
  /** A search; what is wrong with its shape is its own error. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** A search that failed, one of a later page, and one that passed its checks. */
type Begun =
  | { readonly error: unknown }
  | { readonly call: Call<'search'>; readonly cursor: string }
  | { readonly call: Call<'search'>; readonly prepared: PreparedSearch };

/** The same, its query embedded. */
type Step = Exclude<Begun, { readonly prepared: PreparedSearch }> | EmbeddedSearch;
interface EmbeddedSearch {
  readonly call: Call<'search'>;
  readonly prepared: PreparedSearch;
  readonly embedded: EmbeddedQuery;
}

async function multiSearch(services: Services, call: Call<'multiSearch'>): Promise<Answer> {
  const queries = await queriesOf(call.bytes);
  call.device();
  const deadline = call.deadline(call.headers['x-request-timeout-ms'] ?? services.config.searchTimeoutMs);
  deadline.check();
  let { aliases } = call;
  // A deletion behind an alias comes as seldom as somebody points that elsewhere.
  for (let begun = 1; ; begun += 1) {
    const { answer, missing } = await answerAll(services, { ...call, aliases }, deadline, queries);
    const now = services.engine.aliases?.now();
    const isMoved = missing.some((name) => indexCalled(now, name) !== indexCalled(aliases, name));
    if (!isMoved || begun === BEGUN_MAX) return answer;
    aliases = now;
  }
}

/** The answer, with the names whose indexes were not there. */
async function answerAll(
  services: Services,
  call: Call<'multiSearch'>,
  deadline: Deadline,
  queries: readonly Query[],
): Promise<{ answer: Answer; missing: string[] }> {
  const steps = await embedded(services, call, deadline, queries);
  const results: Buffer[] = [];
  const missing: string[] = [];
  const room = new AnswerRoom(ANSWERS_BYTES_MAX);
  let hasErrors = false;
  await inLanes(call, steps.length, async (at) => {
    const { indexName } = queries[at] as Query;
    try {
      const answer = await answerOf(services, call, steps[at] as Step);
      room.take(answer);
      results[at] = Buffer.concat([head(indexName, 200, 'response'), answer, end]);
    } catch (thrown) {
      const isOfNoIndex = isMissing(thrown);
      if (isOfNoIndex) missing.push(indexName);
      const error = call.toldError(isOfNoIndex ? faultOr(thrown, call.aliases) : thrown);
      // Nobody reads the results of a client that is gone.
      if (error.code === 'client_closed_request') throw error;
      hasErrors = true;
      results[at] = Buffer.concat([head(indexName, error.status, 'error'), errorBytes(error), end]);
    }
  });
  const parts = results.flatMap((result, at) => (at === 0 ? [result] : [comma, result]));
  const processingTimeMs = Math.round(performance.now() - call.startedMs);
  const rest = Buffer.from(`],"errors":${hasErrors},"processingTimeMs":${processingTimeMs}}`);
  return { answer: { body: Buffer.concat([Buffer.from('{"results":['), ...parts, rest]) }, missing };
}

const comma = Buffer.from(',');
const end = Buffer.from('}');

function head(indexName: string, status: number, member: 'response' | 'error'): Buffer {
  return Buffer.from(`{"indexName":${JSON.stringify(indexName)},"status":${status},"${member}":`);
}

/** The schema of the call with any object for a query: its search is checked by itself, and refused by itself. */
function envelopeOf(schema: JsonSchema): JsonSchema {
  const queries = schema.properties?.queries as JsonSchema;
  const { properties: { indexName } = {} } = queries.items as JsonSchema;
  const query = { type: 'object', required: ['indexName'], additionalProperties: true, properties: { indexName } };
  return { ...schema, properties: { queries: { ...queries, items: query } } } as JsonSchema;
}

/** @throws UnprocessableError, PelorusError for a body that is no list of queries, each with the name of an index */
async function queriesOf(bytes: Buffer): Promise<Query[]> {
  const body = requireBody(await parseJsonInTurns(bytes, operation));
  const { queries } = checkEnvelope(body) as { queries: readonly ({ indexName: string } & Query['body'])[] };
  const written = arrayElements(memberBytes(bytes, 'queries') ?? toBytes(queries));
  return queries.map(({ indexName, ...body }, at) => ({
    indexName: truncated(indexName),
    body,
    bytes: written[at] as Buffer,
  }));
}

/** Checks and plans all searches, and embeds those that go by vectors together. */
async function embedded(
  services: Services,
  call: Call<'multiSearch'>,
  deadline: Deadline,
  queries: readonly Query[],
): Promise<Step[]> {
  const begun = await Promise.all(
    queries.map(async (query): Promise<Begun> => {
      try {
        const search = searchCall(call, deadline, query);
        const { cursor } = search.body;
        if (cursor != null) return { call: search, cursor };
        return { call: search, prepared: await preparedSearch(services, search) };
      } catch (error) {
        return { error };
      }
    }),
  );
  const inference = new GatheredQueries(services.inference);
  const parts = { inference, config: services.config };
  const steps = begun.map(async (step): Promise<Step> => {
    if (!('prepared' in step)) return step;
    try {
      const embedded = await embeddedQuery(parts, step.call, step.prepared);
      step.prepared.times.embeddedMs = performance.now();
      return { ...step, embedded };
    } catch (error) {
      return { error };
    }
  });
  // Each asked for its vectors before it first waited.
  inference.flush();
  return Promise.all(steps);
}

/** The call that a query would be by itself. */
function searchCall(call: Call<'multiSearch'>, deadline: Deadline, { indexName, body, bytes }: Query): Call<'search'> {
  if (!mayCall(call.principal, indexName)) throw indexNotFound(indexName);
  return {
    ...call,
    params: { indexName: indexCalled(call.aliases, indexName) },
    calledAs: indexName,
    body: checkSearchBody(body) as SearchRequest,
    bytes,
    vectors: null,
    deadline: () => deadline,
    startedMs: performance.now(),
  };
}

async function answerOf(services: Services, { answerPart }: Call<'multiSearch'>, step: Step): Promise<Buffer> {
  if ('error' in step) throw step.error;
  const { params, body } = step.call;
  return answerPart('search', params.indexName, itemsAskedFor(body), async () => {
    const answer =
      'cursor' in step
        ? await nextPage(services, step.call, step.cursor)
        : await answerPrepared(services, step.call, step.prepared, step.embedded);
    if ('stream' in answer || !Buffer.isBuffer(answer.body)) throw new TypeError('a search answers bytes');
    return answer.body;
  });
}

/** Runs `work` for every place below `count`: in the place that the call has, and beside it in those that are free. */
async function inLanes(call: Call<'multiSearch'>, count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await call.withFreePlaces(Math.min(AT_ONCE_MAX, count) - 1, (more) =>
    Promise.all(Array.from({ length: 1 + more }, lane)),
  );
}

/** The room that the answers of one call share. */
export class AnswerRoom {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @throws PelorusError `payload_too_large` for an answer that there is no room for */
  take({ length }: Buffer): void {
    if (this.#bytes + length > this.#bytesMax) {
      throw new PelorusError(
        'payload_too_large',
        `The answers of one call may have ${this.#bytesMax} bytes together: those before this one have ${this.#bytes}, and this one ${length}. Ask for less, or in another call.`,
      );
    }
    this.#bytes += length;
  }
}
