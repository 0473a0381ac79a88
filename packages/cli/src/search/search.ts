import type { schemas } from '@pelorus/contract';
import { ask, indexPath } from '../api.js';
import { jsonObject, type Server } from '../server-call.js';
import { printAnswer } from '../terminal/json.js';
import type { Output } from '../terminal/style.js';
import { counted } from '../terminal/units.js';
import { inOneLine } from '../terminal/width.js';
import { parseShown } from '../transfer/exact-json.js';
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
  jsonObject(answer, server.url);
  process.stdout.write(searchText(parseShown(answer.body.toString()) as schemas.SearchResponse));
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
