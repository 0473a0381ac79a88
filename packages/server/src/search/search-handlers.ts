import type { RankedSearch, SearchPlan } from '@pelorus/engine';
import { allVectors, type EncoderInput, type Inference } from '@pelorus/inference';
import { withinOf } from '../auth/access.js';
import type { Answer, Call, Handlers, Services } from '../call.js';
import { toBytes, withMember } from '../http/body.js';
import type { Deadline } from '../http/deadline.js';
import { UnreadVector } from '../http/extracted-vectors.js';
import { memberBytes } from '../http/json-member.js';
import type { SearchTimes } from '../http/stages.js';
import { queryMedia } from '../media/media-options.js';
import type { IndexDefinition } from '../services/definition.js';
import { RankedPages } from '../services/ranked-pages.js';
import { downloadHeaders } from '../validation/download-headers.js';
import { shownDataUri } from '../validation/query-texts.js';
import { checkSearchAlone, checkSearchOf } from './check-search.js';
import { type CuratedSearch, curatedSearch } from './curation.js';
import { checkBeginning, nextLimit } from './cursor-rules.js';
import { documentContext } from './document-context.js';
import { hasFieldQueries, withFieldQueries } from './field-queries.js';
import { type PlannedSearch, planOf, withoutWords } from './plan.js';
import { queryVectors, vectorAlone } from './query-vectors.js';
import { refuseReRanking, reRanked, reRankingOf } from './re-ranking.js';
import { readRecommendation } from './recommendation.js';
import { type Rerank, rerankedPage, rerankOf, widened } from './rerank.js';
import { methodOf } from './shape.js';
import { isCustomVector } from './values.js';

/** Search: checks in the documented order, one plan, the query's vectors, the engine's finished answer. */
export function searchHandlers(services: Services): Pick<Handlers, 'search' | 'recommend'> {
  return { search: (call) => search(services, call), recommend: (call) => recommend(services, call) };
}

const telemetryArea = { TENSOR: 'search.vector', LEXICAL: 'search.lexical', HYBRID: 'search.hybrid' } as const;
const inferenceKey = {
  TENSOR: 'search.vector_inference_full_pipeline',
  LEXICAL: 'search.lexical.vector_inference_full_pipeline',
  HYBRID: 'search.hybrid.vector_inference_full_pipeline',
} as const;

/** The vectors of a search that needs none. */
const noVectors = new Float32Array(0);

/** A search that passed its checks and waits for the vectors of its query. */
export interface PreparedSearch {
  readonly index: IndexDefinition;
  readonly deadline: Deadline;
  readonly planned: PlannedSearch;
  /** The members of its answer that tell of the rules of its index. */
  readonly told: CuratedSearch['told'];
  readonly reRanking: ReturnType<typeof reRankingOf>;
  readonly rerank: Rerank | null;
  /** The area of its times. */
  readonly area: string;
  readonly times: SearchTimes;
}

/** The vectors of a query, and its plan now that its inputs are known. */
export interface EmbeddedQuery {
  readonly plan: SearchPlan;
  readonly vectors: Float32Array | UnreadVector;
}

function search(services: Services, call: Call<'search'>): Promise<Answer> {
  if (call.body.cursor != null) return nextPage(services, call, call.body.cursor);
  // Step by step without `async` where nothing is waited for: each such function costs a search turns of the event loop.
  const embed = (prepared: PreparedSearch) => {
    const answer = (embedded: EmbeddedQuery) => answerPrepared(services, call, prepared, embedded);
    const embedded = embeddedQuery(services, call, prepared);
    return embedded instanceof Promise ? embedded.then(answer) : answer(embedded);
  };
  const prepared = preparedSearch(services, call);
  return prepared instanceof Promise ? prepared.then(embed) : embed(prepared);
}

/** The definition of an index, at once where it is known. */
function definitionOf(
  definitions: Services['definitions'],
  name: string,
  deadline: Deadline,
): IndexDefinition | Promise<IndexDefinition> {
  deadline.check();
  const definition = definitions.get(name);
  if (!(definition instanceof Promise)) return definition;
  // Its failure is told to those who still wait, and to nobody else.
  definition.catch(() => undefined);
  return deadline.until(() => definition);
}

/** Checks a search that has no cursor, and plans it; at once where its index is known. */
export function preparedSearch(services: Services, call: Call<'search'>): PreparedSearch | Promise<PreparedSearch> {
  const { definitions, config } = services;
  const deadline = deadlineOf(services, call);
  checkSearchAlone(call.body, config);
  const found = definitionOf(definitions, call.params.indexName, deadline);
  const prepare = (index: IndexDefinition) => preparedFor(index, services, call, deadline);
  return found instanceof Promise ? found.then(prepare) : prepare(found);
}

function preparedFor(
  index: IndexDefinition,
  { config, cursors }: Services,
  call: Call<'search'>,
  deadline: Deadline,
): PreparedSearch {
  const { telemetry } = call;
  const curated = curatedSearch(call.body, index, Date.now());
  const body = curated.request;
  checkSearchOf(index, body, config);
  const reRanking = reRankingOf(body, index);
  const rerank = rerankOf(body, index);
  checkBeginning(body);
  if (body.withCursor === true) cursors.requireRoom('search');
  const context = documentContext(body, call.bytes);
  const planned = planOf(body, call, index, config.efSearchDefault, context, withinOf(call), curated);
  const area = telemetryArea[methodOf(body)];
  const times = telemetry.planned(call.params.indexName, planned.plan, call.startedMs);
  telemetry.record(`${area}.processing_before_vespa`, times.plannedMs - call.startedMs);
  return { index, deadline, planned, told: curated.told, reRanking, rerank, area, times };
}

/** Embeds the query of a search, unless it goes by words alone. Asks for its vectors before it first waits. */
export function embeddedQuery(
  services: QueryEmbedding,
  call: Call<'search'>,
  prepared: PreparedSearch,
): EmbeddedQuery | Promise<EmbeddedQuery> {
  const embedded = embeddedWhole(services, call, prepared);
  const { body } = call;
  if (!hasFieldQueries(body)) return embedded;
  const { index, deadline, planned } = prepared;
  deadline.check();
  const { signal } = deadline;
  const fields = deadline.until(() =>
    withFieldQueries(planned.plan, body, index, services.inference, {
      ...{ device: call.device(), modelAuth: body.modelAuth, signal },
    }),
  );
  return Promise.all([embedded, fields]).then(([{ plan, vectors }, { lexical, lateInteraction }]) => {
    const sparse = lexical?.sparse ?? null;
    return { plan: { ...plan, lexical: plan.lexical && { ...plan.lexical, sparse }, lateInteraction }, vectors };
  });
}

/** The query of a search without the texts of single fields. */
function embeddedWhole(
  services: QueryEmbedding,
  call: Call<'search'>,
  { index, deadline, planned, times }: PreparedSearch,
): EmbeddedQuery | Promise<EmbeddedQuery> {
  const { plan, parts } = planned;
  if (plan.tensor === null) return { plan, vectors: noVectors };
  deadline.check();
  // Telemetry tells how long even this took.
  const given = call.telemetry.isAsked ? undefined : vectorAlone(parts, index.resolved.dimensions);
  if (given !== undefined) return { plan, vectors: given };
  return deadline.until(() => embedQuery(services, call, planned, index, deadline, times));
}

/** The answer of a search whose query has its vectors. */
export function answerPrepared(
  services: Services,
  call: Call<'search'>,
  { index, deadline, told, reRanking, rerank, area, times }: PreparedSearch,
  { plan, vectors }: EmbeddedQuery,
): Promise<Answer> {
  const { config } = services;
  const { body, telemetry } = call;
  times.askedMs = performance.now();
  // A search among several has noted it before it waited for its turn.
  if (times.embeddedMs === 0) times.embeddedMs = times.askedMs;
  if (body.withCursor === true) {
    // A body that is parsed once more would hold a second ranking.
    call.vectors?.requireVectors();
    return firstPage(services, call, deadline, area, plan, vectors, times, told);
  }
  const finish =
    reRanking &&
    ((hits: Buffer) =>
      telemetry.time(['search.rerank'], () =>
        reRanked(hits, reRanking, services.inference, {
          device: call.device(),
          media: queryMedia(index, {}, config),
          signal: deadline.signal,
        }),
      ));
  const reranked =
    rerank &&
    ((hits: Buffer) =>
      telemetry.time(['search.rerank'], () =>
        rerankedPage(hits, rerank, plan, services.inference, { device: call.device(), signal: deadline.signal }),
      ));
  const asked = rerank === null ? plan : widened(plan, rerank);
  const query = () => queryBytes(call);
  const page = { limit: plan.limit, offset: plan.offset, ...told };
  return answerOf(services, call, deadline, area, asked, vectors, times, query, finish ?? reranked, page);
}

/** The first page of a search whose ranking is held for the others. */
async function firstPage(
  { engine, cursors }: Services,
  call: Call<'search'>,
  deadline: Deadline,
  area: string,
  plan: SearchPlan,
  vectors: Float32Array | UnreadVector,
  times: SearchTimes,
  told: CuratedSearch['told'],
): Promise<Answer> {
  const { params, calledAs, telemetry } = call;
  const { limit } = plan;
  const [pages, hits] = await telemetry.time(storeKeys(area), async () => {
    const numbers = vectors instanceof UnreadVector ? vectors.read() : vectors;
    const ranked = await untilDeadline(deadline, () => engine.rank(params.indexName, plan, numbers, deadline));
    const pages = new RankedPages(ranked, queryBytes(call), limit, area);
    return [pages, await firstHits(pages, deadline)] as const;
  });
  times.foundMs = performance.now();
  const isLast = limit >= pages.ranked.count;
  const of = { index: params.indexName, calledAs, within: plan.within };
  const id = isLast ? null : cursors.hold('search', of, pages, pages.memoryBytes);
  if (id === null) pages.close();
  else await deadline.until(() => cursors.share(id));
  return pageOf(call, pages, hits, { limit, offset: 0, ...told }, id && cursors.cursorOf(id, limit));
}

/** The hits of the first page; where there are none to be had, nobody will ask for others. */
async function firstHits(pages: RankedPages, deadline: Deadline): Promise<Buffer> {
  try {
    return await deadline.until(() => pages.ranked.page(0, pages.limit, deadline));
  } catch (error) {
    pages.close();
    throw error;
  }
}

/** The ranking that `rank` makes. One that comes when nobody waits any more is closed. */
async function untilDeadline(deadline: Deadline, rank: () => Promise<RankedSearch>): Promise<RankedSearch> {
  let ranking: Promise<RankedSearch> | undefined;
  try {
    return await deadline.until(() => {
      ranking = rank();
      return ranking;
    });
  } catch (error) {
    ranking?.then(
      (ranked) => ranked.close(),
      () => undefined,
    );
    throw error;
  }
}

/** A later page of a search, as it was when that began. */
export async function nextPage(services: Services, call: Call<'search'>, cursor: string): Promise<Answer> {
  const { definitions, cursors, config } = services;
  const { params, calledAs, telemetry } = call;
  const deadline = deadlineOf(services, call);
  const given = nextLimit(call, config);
  // A ranking is held even when its index is gone; whoever asks is to know.
  await definitionOf(definitions, params.indexName, deadline);
  const asked = { calledAs, within: withinOf(call) };
  const reached = deadline.until(() => cursors.reach('search', asked, cursor, deadline));
  const { id, reading: pages, start } = await reached;
  const limit = given ?? pages.limit;
  const hits = await telemetry.time(storeKeys(pages.area), () =>
    deadline.until(() => pages.ranked.page(start, limit, deadline)),
  );
  const isLast = start + limit >= pages.ranked.count;
  if (isLast) cursors.end(id);
  return pageOf(call, pages, hits, { limit, offset: start }, isLast ? null : cursors.cursorOf(id, start + limit));
}

function pageOf(
  call: Call<'search'>,
  { query }: RankedPages,
  hits: Buffer,
  page: { readonly limit: number; readonly offset: number } & CuratedSearch['told'],
  cursor: string | null,
): Answer {
  return { body: withMember(hits, 'query', query, { ...page, cursor, processingTimeMs: processingTimeMs(call) }) };
}

function storeKeys(area: string): string[] {
  return [`${area}.store`, `${area}.vespa`];
}

/** So far; recorded as the request's time too. */
function processingTimeMs({
  params,
  telemetry,
  startedMs,
}: Pick<Call<'search'>, 'params' | 'telemetry' | 'startedMs'>): number {
  const elapsedMs = performance.now() - startedMs;
  telemetry.record(`POST /indexes/${params.indexName}/search`, elapsedMs);
  return Math.round(elapsedMs);
}

/** A search by vectors that starts from documents: nothing is embedded. */
async function recommend(services: Services, call: Call<'recommend'>): Promise<Answer> {
  const { definitions, config } = services;
  const { params, body, telemetry } = call;
  const deadline = deadlineOf(services, call);
  const { request, context } = readRecommendation(body, call.bytes);
  // The bound of context documents is one of searches: a recommendation starts from as many as its body holds.
  const bounds = { ...config, contextDocumentsMax: Number.POSITIVE_INFINITY };
  checkSearchAlone(request, bounds);
  const index = await definitionOf(definitions, params.indexName, deadline);
  checkSearchOf(index, request, bounds);
  refuseReRanking(request);
  const { plan } = planOf(request, call, index, config.efSearchDefault, context, withinOf(call));
  const times = telemetry.planned(params.indexName, plan, call.startedMs);
  // Its vectors are in the index.
  times.askedMs = times.plannedMs;
  telemetry.record(`${telemetryArea.TENSOR}.processing_before_vespa`, times.plannedMs - call.startedMs);
  return answerOf(services, call, deadline, telemetryArea.TENSOR, plan, noVectors, times, () => toBytes(null));
}

/** The client's own time, or that of the operator. */
function deadlineOf({ config }: Services, { headers, deadline }: Call<'search'> | Call<'recommend'>): Deadline {
  return deadline(headers['x-request-timeout-ms'] ?? config.searchTimeoutMs);
}

async function answerOf(
  { engine }: Services,
  call: Pick<Call<'search'>, 'params' | 'telemetry' | 'startedMs'>,
  deadline: Deadline,
  area: string,
  plan: SearchPlan,
  vectors: Float32Array | UnreadVector,
  times: SearchTimes,
  /** The query that the answer echoes, which may be large: made only where there is an answer. */
  query: () => Buffer,
  /** Changes the engine's answer. */
  finish: ((hits: Buffer) => Promise<Buffer>) | null = null,
  /** Members of the answer beside those of the engine. */
  told: object = { limit: plan.limit, offset: plan.offset },
): Promise<Answer> {
  const found = await call.telemetry.time(storeKeys(area), () =>
    deadline.until(() => engine.search(call.params.indexName, plan, vectors, deadline)),
  );
  if (vectors instanceof UnreadVector) vectors.noteRead();
  const foundMs = performance.now();
  times.foundMs = foundMs;
  deadline.check();
  const hits = finish === null ? found : await deadline.until(() => finish(found));
  const echo = query();
  call.telemetry.record(`${area}.postprocess`, performance.now() - foundMs);
  return { body: withMember(hits, 'query', echo, { ...told, processingTimeMs: processingTimeMs(call) }) };
}

/** The parts that make the vectors of a query. */
export interface QueryEmbedding {
  readonly inference: Pick<Inference, 'embedQuery' | 'fieldVectors'>;
  readonly config: Services['config'];
}

async function embedQuery(
  { inference, config }: QueryEmbedding,
  { body, device, telemetry }: Call<'search'>,
  { plan, parts }: PlannedSearch,
  index: IndexDefinition,
  { signal }: Deadline,
  times: SearchTimes,
): Promise<EmbeddedQuery> {
  const { settings, resolved } = index;
  let isMedium = false;
  const embed = async (inputs: EncoderInput[]) => {
    const model = index.model();
    times.model = { name: model.name, inputs: inputs.length };
    const embedded = await inference.embedQuery(model, inputs, {
      normalize: settings.normalizeEmbeddings,
      device: device(),
      modelAuth: body.modelAuth,
      media: queryMedia(index, downloadHeaders(body), config),
      cacheTelemetry: telemetry.countCached,
      signal,
    });
    isMedium = typeof body.q === 'string' && embedded.media.length > 0;
    return allVectors(embedded);
  };
  const key = inferenceKey[methodOf(body)];
  const vectors = await telemetry.time([key], () => queryVectors(parts, resolved.dimensions, embed));
  return { plan: isMedium ? withoutWords(plan) : plan, vectors };
}

/** The query as it came, to be echoed: its numbers, and the order of its weighted texts. Data URIs are left out. */
function queryBytes({ body, bytes, vectors }: Call<'search'>): Buffer {
  const { q } = body;
  const whole = () => vectors?.query ?? memberBytes(bytes, 'q') ?? toBytes(q);
  if (typeof q === 'string') return toBytes(shownDataUri(q) ?? q);
  if (q == null) return toBytes(null);
  // Numbers are many, and are not looked through for nothing.
  const isPlain = isCustomVector(q) && shownDataUri(q.customVector.content ?? '') === undefined;
  return isPlain ? whole() : withoutDataUris(whole());
}

/** JSON with `data:image/[omitted]` in place of each text that is a data URI: nobody needs a picture sent back. */
function withoutDataUris(json: Buffer): Buffer {
  const shown = (text: string) => {
    const uri = shownDataUri(JSON.parse(text));
    return uri === undefined ? text : JSON.stringify(uri);
  };
  return Buffer.from(json.toString('utf8').replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, shown));
}
