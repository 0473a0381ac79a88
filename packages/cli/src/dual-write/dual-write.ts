import type { schemas } from '@pelorus/contract';
import { ask, indexPath } from '../api.js';
import { indexNames } from '../indexes/records.js';
import { jsonObject, type Server } from '../server-call.js';
import { printJson } from '../terminal/json.js';
import { say } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { tableOf } from '../terminal/table.js';
import { countText } from '../terminal/units.js';

const COLUMNS = [
  { title: 'index' },
  { title: 'alike' },
  { title: 'state' },
  { title: 'documents', isRight: true },
  { title: 'in the second', isRight: true },
  { title: 'searches', isRight: true },
  { title: 'overlap@10', isRight: true },
];

export interface DualWriteOptions {
  /** All of them when absent. */
  readonly index: string | undefined;
  /** Tells whether to copy anew first. */
  readonly repair: boolean;
  readonly json: boolean;
}

/**
 * Prints how the second engine of a server follows, and whether both answer alike; searches that differ with their ids.
 * @throws StartFailure for a server that writes to one engine
 */
export async function showDualWrite(
  server: Server,
  { index, repair, json }: DualWriteOptions,
  out: Output = process.stdout,
): Promise<void> {
  const names = index === undefined ? await indexNames(server) : [index];
  const reports: [string, schemas.DualWriteReport][] = [];
  for (const name of names) {
    const path = `${indexPath(name)}/dual-write`;
    if (repair) await ask(server, 'POST', path);
    reports.push([name, jsonObject<schemas.DualWriteReport>(await ask(server, 'GET', path), server.url)]);
  }
  if (json) {
    printJson({ indexes: reports.map(([indexName, report]) => ({ indexName, ...report })) }, out);
    return;
  }
  if (reports.length === 0) return say('There is no index yet');
  out.write(
    tableOf(
      COLUMNS,
      reports.map(([name, report]) => rowOf(name, report)),
      out,
    ),
  );
  for (const [name, report] of reports) for (const line of notesOf(report)) say(`${name}: ${line}`);
}

function rowOf(name: string, { isAlike, state, documents, searches }: schemas.DualWriteReport): string[] {
  const { count, overlapAt10 } = searches;
  const second = documents.second === null ? '?' : countText(documents.second);
  const overlap = overlapAt10 === null ? '-' : overlapAt10.toFixed(3);
  return [name, isAlike ? 'yes' : 'no', state, countText(documents.first), second, countText(count), overlap];
}

/** Lines about what is not alike. */
function notesOf({ reason, since, pendingDocuments, searches }: schemas.DualWriteReport): string[] {
  const { failures, lastFailure, different } = searches;
  const sinceText = since === null ? '' : ` since ${since}, ${countText(pendingDocuments)} documents wait`;
  const ids = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(' '));
  return [
    ...(reason === null ? [] : [`${reason}${sinceText}`]),
    ...(failures === 0 ? [] : [`${countText(failures)} searches failed in the second engine: ${lastFailure}`]),
    ...different.map(
      ({ at, overlapAt10, onlyFirst, onlySecond }) =>
        `a search at ${at} has overlap ${overlapAt10.toFixed(1)}; in the first alone: ${ids(onlyFirst)}; in the second alone: ${ids(onlySecond)}`,
    ),
  ];
}
