import { type engine, type Operation, type OperationId, operations, type schemas } from '@pelorus/contract';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.js';
import { routeParameter } from './paths.js';
import type { SearchTimes } from './stages.js';

/** A request that took long, without anything of its query or its documents. */
export type SlowRequest = schemas.SlowRequests['slowRequests'][number];

/** Those that are kept, and for how long. */
const KEPT_MAX = 100;
const KEPT_MS = 24 * 60 * 60_000;
/** From here on a request that neither searches nor writes is slow. */
const OTHERS_MS = 1_000;

/** The slowest requests of the last day. */
export class SlowRequests {
  readonly #now: () => number;
  /** The slowest first. */
  #kept: SlowRequest[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  readonly note = (request: SlowRequest): void => {
    const kept = this.list();
    const at = kept.findIndex(({ ms }) => ms < request.ms);
    kept.splice(at === -1 ? kept.length : at, 0, request);
    this.#kept = kept.slice(0, KEPT_MAX);
  };

  list(): SlowRequest[] {
    const oldest = this.#now() - KEPT_MS;
    return this.#kept.filter(({ at }) => Date.parse(at) >= oldest);
  }
}

/** Milliseconds from which a request of an operation is slow. */
export function slowFrom(
  id: OperationId | undefined,
  { slowSearchMs, slowWriteMs }: Pick<Config, 'slowSearchMs' | 'slowWriteMs'>,
): number {
  const load = id === undefined ? 'none' : (operations[id] as Operation).load;
  if (load === 'search') return slowSearchMs;
  return load === 'add' || load === 'update' || load === 'fill' ? slowWriteMs : OTHERS_MS;
}

/** The facts of a request that was answered, for whoever asks why it took long. */
export function slowRequestOf(request: FastifyRequest, status: number, ms: number): SlowRequest {
  const { id: requestId, routeOptions, telemetry, startedMs } = request;
  const times = telemetry.searches.at(-1);
  return {
    ...{ at: new Date(Date.now() - ms).toISOString(), requestId, ms, status },
    operation: routeOptions.config.operation ?? null,
    index: indexOf(request) ?? null,
    stagesMs: times === undefined ? {} : stagesOf(times, startedMs, ms),
    ...(times !== undefined && { search: shapeOf(times.plan) }),
    ...(telemetry.write !== null && { documents: telemetry.write.documents }),
  };
}

/** The index that a request names. */
export function indexOf({ params }: Pick<FastifyRequest, 'params'>): string | undefined {
  return (params as Record<string, string | undefined> | undefined)?.[routeParameter('indexName')];
}

/** The time until a search was planned, then until its query had vectors, and then until its answer was sent. */
function stagesOf({ plannedMs, embeddedMs }: SearchTimes, startedMs: number, ms: number): SlowRequest['stagesMs'] {
  const plan = rounded(plannedMs - startedMs);
  if (embeddedMs === 0) return { plan, embed: rounded(ms - plan) };
  const embed = rounded(embeddedMs - plannedMs);
  return { plan, embed, search: rounded(startedMs + ms - embeddedMs) };
}

const rounded = (ms: number): number => Math.max(0, Math.round(ms * 1000) / 1000);

/** The parts of a plan that cost time, without words, values and fields. */
function shapeOf(plan: engine.SearchPlan): NonNullable<SlowRequest['search']> {
  return {
    retrieval: plan.retrievalMethod,
    ranking: plan.rankingMethod,
    limit: plan.limit,
    offset: plan.offset,
    efSearch: plan.tensor?.efSearch ?? null,
    filterLength: plan.filter?.length ?? 0,
    facets: plan.facets !== null,
    sort: plan.sort !== null,
    collapse: plan.collapse !== null,
    contextDocuments: plan.context !== null,
    changesScores: plan.rescoring !== null || plan.recency !== null,
    highlights: plan.showHighlights || plan.lexicalHighlights !== null,
    explain: plan.explain,
    totalHits: plan.trackTotalHits,
  };
}
