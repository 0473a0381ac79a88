import { echoed, invalidArgument, PelorusError } from '@pelorus/contract';
import type { Inference, MediaOptions } from '@pelorus/inference';
import { toBytes } from '../http/body.js';
import { queryWords } from '../media/query-inputs.js';
import type { IndexDefinition } from '../services/definition.js';
import { type Hit, readAnswer } from './answer-hits.js';
import type { SearchRequest } from './shape.js';

/**
 * The rule by which the hits of a page are ranked anew: by how well the text is found in the pictures that one of their
 * fields names.
 */
export interface ReRanking {
  /** The model that looks for it. */
  readonly reRanker: string;
  readonly text: string;
  readonly field: string;
}

/**
 * The ranking that a request asks for beside its own; null for none.
 * @throws PelorusError `bad_request`, `invalid_argument`
 */
export function reRankingOf(
  request: SearchRequest,
  index: Pick<IndexDefinition, 'settings' | 'model'>,
): ReRanking | null {
  const { reRanker, q, hybridParameters, withCursor, pinned, diversity } = request;
  if (reRanker == null) return null;
  if (typeof reRanker !== 'string') throw badRequest(`reRanker must be a string, received ${echoed(reRanker)}`);
  const fields = request.searchableAttributes ?? hybridParameters?.searchableAttributesTensor;
  if (fields == null)
    throw invalidArgument('reRanker needs searchableAttributes: the first is the field with the pictures');
  const [field] = fields;
  if (field === undefined) throw badRequest('reRanker needs a field in searchableAttributes, received none');
  if (typeof q !== 'string' || queryWords(q, index) === null) throw withoutText();
  if (withCursor === true) throw badRequest('reRanker cannot be given with withCursor: it ranks the hits of one page');
  if (pinned != null) throw badRequest('reRanker cannot be given with pinned: it puts every hit at another place');
  if (diversity != null)
    throw badRequest('reRanker cannot be given with diversity: it puts every hit at another place');
  return { reRanker, text: q, field };
}

/** Refuses a ranker for a search that has no text. @throws PelorusError `bad_request` */
export function refuseReRanking({ reRanker }: SearchRequest): void {
  if (reRanker != null) throw withoutText();
}

/**
 * An answer with the hits of its page ranked anew: those without the field leave it, unless no hit has it. Numbers stay as they were
 * written.
 * @throws PelorusError `bad_request` when a picture cannot be had or the model not run
 */
export async function reRanked(
  answer: Buffer,
  { reRanker, text, field }: ReRanking,
  inference: Inference,
  options: {
    readonly device: Parameters<Inference['locate']>[3]['device'];
    readonly media: MediaOptions;
    readonly signal?: AbortSignal;
  },
): Promise<Buffer> {
  const body = readAnswer(answer);
  const shown = body.hits.filter((hit) => typeof hit[field] === 'string');
  if (shown.length === 0) return answer;
  const pictures = shown.map((hit) => hit[field] as string);
  const found = await inference.locate(reRanker, text, pictures, options);
  const ranked = found
    .map(({ score, box }, i) => ({ score, box, hit: shown[i] as Hit }))
    // Stable: of equal ones the search's own order counts.
    .sort((a, b) => b.score - a.score)
    .map(({ score, box, hit }) => ({
      ...hit,
      _score: score,
      ...(hit._highlights !== undefined && { _highlights: [{ [field]: box }] }),
    }));
  return toBytes({ ...body, hits: ranked });
}

const withoutText = () => badRequest('reRanker needs a query that is a text');

const badRequest = (message: string) => new PelorusError('bad_request', message);
