import { invalidArgument, type Problem } from '@pelorus/contract';
import type { SearchPlan } from '@pelorus/engine';
import type { Inference } from '@pelorus/inference';
import { toBytes } from '../http/body.js';
import { queryWords } from '../media/query-inputs.js';
import type { IndexDefinition } from '../services/definition.js';
import { brokenTogether } from '../validation/problems.js';
import { type Hit, readAnswer } from './answer-hits.js';
import { checkFieldName } from './field-names.js';
import type { SearchRequest } from './shape.js';

const depthDefault = 100;

/** The ranking of the first hits of a search by a model that reads the query and the texts of a hit together. */
export interface Rerank {
  /** The name of a cross-encoder. */
  readonly model: string;
  readonly query: string;
  readonly fields: readonly string[];
  readonly depth: number;
}

/** Rules between this ranking and the other members that put hits at places of their own. */
export function* rerankModelProblems({
  rerank,
  reRanker,
  diversity,
  sortBy,
  withCursor,
}: SearchRequest): Generator<Problem> {
  if (rerank == null) return;
  const others = { reRanker, diversity, sortBy, withCursor: withCursor === true ? true : null };
  for (const [name, value] of Object.entries(others)) {
    if (value != null) yield brokenTogether(`'rerank' cannot be used with '${name}': it orders the first hits itself`);
  }
}

/** @throws PelorusError for the name of a field that none can have. */
export function checkRerankFields({ rerank }: SearchRequest): void {
  for (const name of rerank?.fields ?? []) checkFieldName(name);
}

/**
 * The ranking that a request asks for beside its own; null for none.
 * @throws PelorusError `invalid_argument` where there is no text to read with those of hits
 */
export function rerankOf(request: SearchRequest, index: Pick<IndexDefinition, 'settings' | 'model'>): Rerank | null {
  const { rerank } = request;
  if (rerank == null) return null;
  const query = rerank.query ?? textOf(request, index);
  if (query === null || query.trim() === '') {
    throw invalidArgument(
      "rerank needs a text to read with those of hits: give 'rerank.query', or a 'q' that is a text",
    );
  }
  const { model, fields } = rerank;
  return { model, query, fields: [...new Set(fields)], depth: rerank.depth ?? depthDefault };
}

/** The words that a request asks for, null where it has none. */
function textOf(
  { q, hybridParameters }: SearchRequest,
  index: Pick<IndexDefinition, 'settings' | 'model'>,
): string | null {
  if (typeof q === 'string') return queryWords(q, index);
  if (q == null) return hybridParameters?.queryLexical ?? null;
  const { customVector } = q as { readonly customVector?: unknown };
  const { content } = Object(customVector) as { readonly content?: string | null };
  return content ?? null;
}

/** The plan whose hits are those to rank anew, up to the end of the page, with the texts that are read. */
export function widened(plan: SearchPlan, { fields, depth }: Rerank): SearchPlan {
  // Hits behind those that are ranked anew stay where they are.
  if (plan.offset >= depth) return plan;
  const attributes = plan.attributesToRetrieve;
  return {
    ...plan,
    limit: Math.max(depth, plan.offset + plan.limit),
    offset: 0,
    attributesToRetrieve: attributes && [...new Set([...attributes, ...fields])],
  };
}

/**
 * The page of a plan, cut from the answer of the one that {@link widened} made of it: the first hits in the order of the
 * model's scores, behind them those whose fields have no text, and then the others. Pinned ones stay at their places.
 * Numbers stay as they were written.
 * @throws PelorusError `bad_request` where the model cannot be had or run
 */
export async function rerankedPage(
  answer: Buffer,
  rerank: Rerank,
  plan: SearchPlan,
  inference: Pick<Inference, 'score'>,
  options: Parameters<Inference['score']>[3],
): Promise<Buffer> {
  if (plan.offset >= rerank.depth) return answer;
  const body = readAnswer(answer);
  const first = body.hits.slice(0, rerank.depth);
  const moved = await ranked(
    first.filter(({ _pinned }) => _pinned !== true),
    rerank,
    inference,
    options,
  );
  const hits = [
    ...first.map((hit) => (hit._pinned === true ? hit : (moved.shift() ?? hit))),
    ...body.hits.slice(rerank.depth),
  ];
  const asked = plan.attributesToRetrieve;
  const added = asked === null ? [] : rerank.fields.filter((field) => !asked.includes(field));
  const page = hits.slice(plan.offset, plan.offset + plan.limit);
  return toBytes({ ...body, hits: page.map((hit) => without(hit, added)) });
}

async function ranked(
  hits: readonly Hit[],
  { model, query, fields }: Rerank,
  inference: Pick<Inference, 'score'>,
  options: Parameters<Inference['score']>[3],
): Promise<Hit[]> {
  const read = hits.map((hit) => ({ hit, text: textsOf(hit, fields) }));
  const withText = read.filter(({ text }) => text !== '');
  const texts = withText.map(({ text }) => text);
  // A model that is not there is told even where there is nothing to read.
  const scores = await inference.score(model, query, texts, options);
  const scored = withText.map(({ hit }, i) => ({ hit, score: scores[i] ?? 0 }));
  // Stable: of equal ones the search's own order counts.
  scored.sort((a, b) => b.score - a.score);
  const others = read.filter(({ text }) => text === '');
  return [...scored.map(({ hit, score }) => ({ ...hit, _rerank_score: score })), ...others.map(({ hit }) => hit)];
}

/** The texts of some fields of a hit, one behind the other; empty where there is none. */
function textsOf(hit: Hit, fields: readonly string[]): string {
  const texts = fields.flatMap((field) => hit[field]).filter((value) => typeof value === 'string');
  return texts.join('\n').trim();
}

/** A hit without fields that were fetched for the model alone, and without what shows them. */
function without(hit: Hit, fields: readonly string[]): Hit {
  if (fields.length === 0) return hit;
  const isShown = ([name]: readonly [string, unknown]) => !fields.includes(name);
  const shown = Object.fromEntries(Object.entries(hit).filter(isShown));
  const { _highlights, _lexicalHighlights } = hit;
  const lists = _highlights as readonly object[] | undefined;
  return {
    ...shown,
    ...(lists && { _highlights: lists.filter((one) => Object.entries(one).every(isShown)) }),
    ...(_lexicalHighlights !== undefined && {
      _lexicalHighlights: Object.fromEntries(Object.entries(_lexicalHighlights as object).filter(isShown)),
    }),
  };
}
