import { invalidArgument } from '@pelorus/contract';
import type { RankedSearch } from '@pelorus/engine';
import type { Call } from '../call.js';
import type { Config } from '../config.js';
import { memberNames } from '../http/json-member.js';
import { asksForHighlights } from './lexical-highlights.js';
import type { SearchRequest } from './shape.js';
import { checkLimit } from './values.js';

/** A search that is read page by page, and what its answers repeat. */
export class RankedPages {
  readonly ranked: RankedSearch;
  /** The query as it came, JSON. */
  readonly query: Buffer;
  /** Hits of the first page. */
  readonly limit: number;
  /** The name under which its times are recorded. */
  readonly area: string;

  constructor(ranked: RankedSearch, query: Buffer, limit: number, area: string) {
    this.ranked = ranked;
    // A part of the body would keep all of it.
    this.query = Buffer.from(query);
    this.limit = limit;
    this.area = area;
  }

  get memoryBytes(): number {
    return this.ranked.memoryBytes + this.query.length;
  }

  close(): void {
    this.ranked.close();
  }
}

/**
 * Checks that a search can begin with a cursor.
 * @throws PelorusError `invalid_argument`
 */
export function checkBeginning(request: SearchRequest): void {
  const { withCursor, offset, explain } = request;
  if (withCursor !== true) return;
  if (offset > 0) {
    throw invalidArgument(
      `offset cannot be given with withCursor: the first page has the first hits. Received ${offset}`,
    );
  }
  if (explain === true) {
    throw invalidArgument('explain cannot be true with withCursor: only a page that is ranked by itself is explained');
  }
  if (asksForHighlights(request)) {
    throw invalidArgument(
      'lexicalHighlights cannot be given with withCursor: only a page that is ranked by itself has them',
    );
  }
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
