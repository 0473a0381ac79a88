import { isDeepStrictEqual } from 'node:util';
import { indexPath } from '../api.js';
import { type Api, messageOf } from './api.js';

/** The rules that searches of an index follow, its synonyms, and the members that searches have where they leave them out. */
export interface Curation {
  readonly rules: readonly object[];
  readonly synonyms: readonly object[];
  /** Absent where there are none. */
  readonly searchDefaults?: object;
}

const pathOf = (index: string) => `${indexPath(index)}/curation`;

const isEmpty = ({ rules, synonyms, searchDefaults }: Curation) =>
  rules.length === 0 && synonyms.length === 0 && searchDefaults === undefined;

/** The curation of an index without its version; undefined where it has none. */
export async function readCuration(api: Api, index: string): Promise<Curation | undefined> {
  const { rules, synonyms, searchDefaults } = api.jsonOf<Curation>(await api.call('GET', pathOf(index)));
  const curation = { rules, synonyms, ...(searchDefaults !== undefined && { searchDefaults }) };
  return isEmpty(curation) ? undefined : curation;
}

/** Tells whether a curation is about fields that an index may not know before it has documents. */
export function needsDocuments({ searchDefaults }: Curation): boolean {
  return searchDefaults !== undefined;
}

/** The outcome of a curation that was brought. */
export interface CurationOutcome {
  readonly isStored: boolean;
  /** The sentence about it. */
  readonly told: string;
}

/** Gives an index the curation of an export, unless it has another one of its own, which stays. */
export async function putCuration(api: Api, index: string, brought: Curation): Promise<CurationOutcome> {
  const what = toldOf(brought);
  const own = await readCuration(api, index);
  if (own !== undefined) {
    const isSame = isDeepStrictEqual(own, brought);
    const told = isSame
      ? `Index ${index} has the ${what} of the export`
      : `Index ${index} keeps its own rules and synonyms: the ${what} of the export are left out`;
    return { isStored: true, told };
  }
  const answer = await api.send('PUT', pathOf(index), JSON.stringify(brought));
  if (answer.status === 200) return { isStored: true, told: `Rules of ${index}: ${what}` };
  return { isStored: false, told: `The ${what} of the export were refused: ${messageOf(answer)}` };
}

function toldOf({ rules, synonyms, searchDefaults }: Curation): string {
  const parts = [count(rules, 'rule'), `${count(synonyms, 'entry', 'entries')} of synonyms`];
  const names = Object.keys(searchDefaults ?? {});
  return names.length === 0 ? parts.join(' and ') : `${parts.join(', ')} and ${count(names, 'search default')}`;
}

function count(list: readonly unknown[], one: string, several = `${one}s`): string {
  return `${list.length} ${list.length === 1 ? one : several}`;
}
