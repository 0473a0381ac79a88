import { ask, indexPath } from '../api.js';
import type { Server } from '../server-call.js';
import { printAnswer, printJson } from '../terminal/json.js';
import { print, say } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { pairsOf, tableOf } from '../terminal/table.js';
import { bytesText, countText } from '../terminal/units.js';
import { indexNames, type Listed, recordAndStats, recordOf, recordsOf } from './records.js';

const COLUMNS = [
  { title: 'index' },
  { title: 'documents', isRight: true },
  { title: 'vectors', isRight: true },
  { title: 'status' },
  { title: 'model' },
];

/** Prints a table of the indexes; as JSON `{"indexes": [...]}` with the record of each, or its `error`. */
export async function listIndexes(server: Server, json: boolean, out: Output = process.stdout): Promise<void> {
  const indexes = await recordsOf(server, await indexNames(server));
  if (json) printJson({ indexes });
  else if (indexes.length > 0) out.write(tableOf(COLUMNS, indexes.map(rowOf), out));
  else say('There is no index yet: `pelorus indexes create NAME` makes one');
}

function rowOf(index: Listed): string[] {
  if ('error' in index) return [index.indexName, '-', '-', 'FAILED', index.error.message];
  const { indexName, numberOfDocuments, numberOfVectors, indexStatus, settings } = index;
  return [indexName, countText(numberOfDocuments), countText(numberOfVectors), indexStatus, String(settings.model)];
}

export async function createIndex(server: Server, name: string, settings: object, json: boolean): Promise<void> {
  const { body } = await ask(server, 'POST', indexPath(name), settings);
  if (json) return printAnswer(body);
  const record = await recordOf(server, name);
  print(`The index ${name} is made; its model is ${record.settings.model}`);
}

/** Prints the record of an index; as JSON the answers of the server, `{"index": record, "stats": counts}`. */
export async function showIndex(server: Server, name: string, json: boolean): Promise<void> {
  const { index: record, stats } = await recordAndStats(server, name);
  if (json) return printJson({ index: record, stats });
  const { memoryBytes, memoryUsedPercentage, storageUsedPercentage } = stats.backend;
  const shares = { memory: memoryUsedPercentage, disk: storageUsedPercentage };
  const used = Object.entries(shares).map(
    ([what, share]) => `${share === null ? '?' : share.toFixed(1)} % of the ${what}`,
  );
  const pairs: [string, string][] = [
    ['index', record.indexName],
    ['status', record.indexStatus],
    ['created', record.Created],
    ['documents', countText(stats.numberOfDocuments)],
    ['vectors', countText(stats.numberOfVectors)],
    ...(memoryBytes === undefined ? [] : [['memory', bytesText(memoryBytes)] as [string, string]]),
    ['the server uses', used.join(', ')],
    ...Object.entries(record.settings).map(([setting, value]): [string, string] => [
      setting,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ];
  process.stdout.write(pairsOf(pairs));
}

export async function deleteIndex(
  server: Server,
  name: string,
  { yes, json }: { yes: boolean; json: boolean },
): Promise<void> {
  if (!yes) {
    const { numberOfDocuments } = await recordOf(server, name);
    const { confirmed } = await import('./confirmed.js');
    await confirmed(`Delete the index ${name} with its ${countText(numberOfDocuments)} documents for good?`);
  }
  const { body } = await ask(server, 'DELETE', indexPath(name));
  if (json) printAnswer(body);
  else print(`The index ${name} is deleted`);
}
