import type { schemas } from '@pelorus/contract';
import { ask, indexPath } from '../api.js';
import { parseShown } from '../exact-json.js';
import { type Answer, jsonObject, type Server } from '../server-call.js';
import { printAnswer } from '../terminal/json.js';
import type { Output } from '../terminal/style.js';
import { counted } from '../terminal/units.js';
import { inOneLine } from '../terminal/width.js';
import { type Explanation, explanationText } from './explanation.js';
import { hitsTable, MARK_END, MARK_START } from './hits-table.js';
import type { SearchFlags } from './search-command.js';

interface Search extends SearchFlags {
  readonly index: string;
  readonly query: string;
}

/** Prints the hits of a search; as JSON the answer of the server. */
export async function search(server: Server, asked: Search, json: boolean): Promise<void> {
  const answer = await ask(server, 'POST', `${indexPath(asked.index)}/search`, requestOf(asked, json));
  if (json) return printAnswer(answer.body);
  process.stdout.write(searchText(readHits(answer, server.url)));
}

/**
 * Reads the answer of a search: integers of documents may have more digits than JavaScript keeps, and the numbers that
 * are told of a search are those of JavaScript.
 * @throws StartFailure for what is none
 */
export function readHits(answer: Answer, url: string): schemas.SearchResponse {
  const told = jsonObject<schemas.SearchResponse>(answer, url);
  const { hits } = parseShown(answer.body.toString()) as schemas.SearchResponse;
  return {
    ...told,
    hits: told.hits.map(({ _score, _explanation }, at) => ({
      ...(hits[at] as schemas.SearchResponse['hits'][number]),
      ...{ _score, ...(_explanation !== undefined && { _explanation }) },
    })),
  };
}

/** The hits with their number and the time that the server took. */
export function searchText({ hits, offset, processingTimeMs }: schemas.SearchResponse, out?: Output): string {
  const explained = hits.flatMap(({ _id, _explanation }, at) =>
    _explanation === undefined
      ? []
      : [`\n${explanationText(`${offset + at + 1} ${_id}`, _explanation as Explanation, out)}`],
  );
  const closing = inOneLine(`${hits.length === 0 ? 'No hit' : counted(hits.length, 'hit')} in ${processingTimeMs} ms`);
  return `${hits.length === 0 ? '' : hitsTable(hits, offset, out)}${explained.join('')}${closing}\n`;
}

function requestOf({ query, method, filter, limit, offset, fields, explain }: Search, json: boolean): object {
  const marks = json ? true : { preTag: MARK_START, postTag: MARK_END };
  return {
    q: query,
    searchMethod: method.toUpperCase(),
    limit,
    offset,
    ...(filter !== undefined && { filter }),
    ...(fields !== undefined && { attributesToRetrieve: fields }),
    ...(explain && { explain: true }),
    ...(method !== 'tensor' && { lexicalHighlights: marks }),
  };
}
