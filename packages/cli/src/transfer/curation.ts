import { isDeepStrictEqual } from 'node:util';
import { indexPath } from '../api.js';
import type { Answer } from '../server-call.js';
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
  /** Subject of a sentence about what was refused; undefined where all is there. */
  readonly missing: 'The rules and synonyms' | 'The search defaults' | undefined;
  /** Sentences about it. */
  readonly told: readonly string[];
}

/**
 * Gives an index the curation of an export, unless it has another one of its own, which stays. Search defaults that it
 * refuses, as those about fields that no document has any more, keep nothing else away.
 */
export async function putCuration(api: Api, index: string, brought: Curation): Promise<CurationOutcome> {
  const what = toldOf(brought);
  const { searchDefaults, ...others } = brought;
  const own = await readCuration(api, index);
  // Without the defaults it is what an earlier import stored of one whose defaults were refused.
  if (own !== undefined && (searchDefaults === undefined || !isDeepStrictEqual(own, others))) {
    const isSame = isDeepStrictEqual(own, brought);
    const told = isSame
      ? `Index ${index} has the ${what} of the export`
      : `Index ${index} keeps its own rules and synonyms: the ${what} of the export are left out`;
    return { missing: undefined, told: [told] };
  }
  const put = (curation: Curation) => api.send('PUT', pathOf(index), JSON.stringify(curation));
  const stored = (curation: Curation) => `Rules of ${index}: ${toldOf(curation)}`;
  const answer = await put(brought);
  if (answer.status === 200) return { missing: undefined, told: [stored(brought)] };
  if (searchDefaults !== undefined && isRefusal(answer)) {
    const left = `${defaultsRefused(searchDefaults)}: ${messageOf(answer)}`;
    if (isEmpty(others)) return { missing: 'The search defaults', told: [left] };
    if ((await put(others)).status === 200) return { missing: 'The search defaults', told: [stored(others), left] };
  }
  const refused = `The ${what} of the export were refused: ${messageOf(answer)}`;
  return { missing: 'The rules and synonyms', told: [refused] };
}

/** Tells an answer about what was sent from one about who sent it. */
function isRefusal({ status }: Answer): boolean {
  return status === 400 || status === 422;
}

function defaultsRefused(defaults: object): string {
  const names = Object.keys(defaults);
  const told = new Intl.ListFormat('en').format(names);
  return names.length === 1
    ? `The search default ${told} of the export was refused and is left out`
    : `The search defaults ${told} of the export were refused and are left out`;
}

function toldOf({ rules, synonyms, searchDefaults }: Curation): string {
  const parts = [count(rules, 'rule'), `${count(synonyms, 'entry', 'entries')} of synonyms`];
  const names = Object.keys(searchDefaults ?? {});
  return names.length === 0 ? parts.join(' and ') : `${parts.join(', ')} and ${count(names, 'search default')}`;
}

function count(list: readonly unknown[], one: string, several = `${one}s`): string {
  return `${list.length} ${list.length === 1 ? one : several}`;
}
