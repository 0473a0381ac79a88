import type { schemas } from '@pelorus/contract';
import { aliasPath, ask } from '../api.js';
import { jsonObject, type Server } from '../server-call.js';
import { printAnswer } from '../terminal/json.js';
import { print, say } from '../terminal/lines.js';
import type { Output } from '../terminal/style.js';
import { tableOf } from '../terminal/table.js';

const COLUMNS = [{ title: 'alias' }, { title: 'index' }];

/** Prints a table of the aliases with their indexes. */
export async function listAliases(server: Server, json: boolean, out: Output = process.stdout): Promise<void> {
  const answer = await ask(server, 'GET', '/aliases');
  if (json) return printAnswer(answer.body);
  const { results } = jsonObject<schemas.AliasList>(answer, server.url);
  const rows = results.map(({ aliasName, indexName }) => [aliasName, indexName]);
  if (rows.length > 0) out.write(tableOf(COLUMNS, rows, out));
  else say('There is no alias yet: `pelorus aliases set NAME INDEX` makes one');
}

export async function setAlias(server: Server, alias: string, index: string, json: boolean): Promise<void> {
  const { body } = await ask(server, 'PUT', aliasPath(alias), { indexName: index });
  if (json) printAnswer(body);
  else print(`The alias ${alias} stands for the index ${index}`);
}

export async function deleteAlias(server: Server, alias: string, json: boolean): Promise<void> {
  const { body } = await ask(server, 'DELETE', aliasPath(alias));
  if (json) printAnswer(body);
  else print(`The alias ${alias} is deleted`);
}
