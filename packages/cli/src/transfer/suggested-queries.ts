import { indexPath } from '../api.js';
import { ExitCode } from '../start-failure.js';
import type { Api } from './api.js';
import { TransferFailure } from './transfer-failure.js';

/** A query that an index suggests, as it is put. */
export interface SuggestedQuery {
  readonly query: string;
  readonly popularity: number;
  readonly metadata: Readonly<Record<string, number>>;
}

/** Most characters of the queries of an export as JSON: its first line holds them, which a reader takes as a whole. */
const QUERIES_LENGTH_MAX = 16 * 1024 * 1024;

const pathOf = (index: string) => `${indexPath(index)}/suggestions/queries`;

/**
 * All queries that an index suggests.
 * @throws TransferFailure where they are more than an export holds
 */
export async function readQueries(api: Api, index: string): Promise<SuggestedQuery[]> {
  const all: SuggestedQuery[] = [];
  let [cursor, length]: [string | null, number] = [null, 0];
  do {
    const answer = await api.call('POST', `${pathOf(index)}/scan`, JSON.stringify({ cursor }));
    const page: { queries: SuggestedQuery[]; cursor: string | null } = api.jsonOf(answer);
    all.push(...page.queries);
    length += answer.body.length;
    if (length > QUERIES_LENGTH_MAX) {
      throw new TransferFailure(
        `Index ${index} suggests more queries than an export holds, which is ${QUERIES_LENGTH_MAX} bytes of them: --no-suggestions leaves them out`,
        ExitCode.BAD_CONFIGURATION,
      );
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return all;
}

interface Refused {
  readonly query: string;
  readonly message: string;
}

/** Puts queries into an index, where each takes the place of one that is there. Returns those that were refused. */
export async function putQueries(
  api: Api,
  index: string,
  queries: readonly SuggestedQuery[],
  batchSize: number,
): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (let start = 0; start < queries.length; start += batchSize) {
    const body = JSON.stringify({ queries: queries.slice(start, start + batchSize) });
    const { errors } = api.jsonOf<{ errors?: Refused[] }>(await api.call('POST', pathOf(index), body));
    refused.push(...(errors ?? []));
  }
  return refused;
}
