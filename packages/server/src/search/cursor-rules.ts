import { invalidArgument } from '@pelorus/contract';
import type { Call } from '../call.js';
import type { Config } from '../config.js';
import { memberNames } from '../http/json-member.js';
import { showsGroups } from './collapse.js';
import { asksForHighlights } from './lexical-highlights.js';
import type { SearchRequest } from './shape.js';
import { checkLimit } from './values.js';

/**
 * Checks that a search can begin with a cursor.
 * @throws PelorusError `invalid_argument`
 */
export function checkBeginning(request: SearchRequest): void {
  const problem = beginningProblem(request);
  if (problem !== undefined) throw invalidArgument(problem);
}

/** The reason that a search cannot begin with a cursor; undefined where it can, or asks for none. */
export function beginningProblem(request: SearchRequest): string | undefined {
  const { withCursor, offset, explain } = request;
  if (withCursor !== true) return undefined;
  if (offset > 0) {
    return `offset cannot be given with withCursor: the first page has the first hits. Received ${offset}`;
  }
  if (explain === true) {
    return 'explain cannot be true with withCursor: only a page that is ranked by itself is explained';
  }
  if (request.didYouMean === true) {
    return 'didYouMean cannot be true with withCursor: only a page that is ranked by itself corrects its query';
  }
  if (showsGroups(request)) {
    return 'groupLimit cannot be above 1 with withCursor: only a page that is ranked by itself shows more of its groups';
  }
  if (asksForHighlights(request)) {
    return 'lexicalHighlights cannot be given with withCursor: only a page that is ranked by itself has them';
  }
  return undefined;
}

/**
 * The limit of a request that has a cursor; undefined where it names none.
 * @throws PelorusError for anything else that it names: a search keeps what it was begun with
 */
export function nextLimit({ body, bytes }: Pick<Call<'search'>, 'body' | 'bytes'>, config: Config): number | undefined {
  const given = memberNames(bytes).filter((name) => body[name as keyof SearchRequest] != null);
  const other = given.find((name) => name !== 'cursor' && name !== 'limit');
  if (other !== undefined) {
    throw invalidArgument(`${other} cannot be given with a cursor: a search keeps what it was begun with`);
  }
  if (!given.includes('limit')) return undefined;
  checkLimit(body.limit, config);
  return body.limit;
}
