import { indexPath } from '../api.js';
import { type Api, messageOf } from './api.js';

/** The rules that searches of an index follow, and its synonyms. */
export interface Curation {
  readonly rules: readonly object[];
  readonly synonyms: readonly object[];
}

const pathOf = (index: string) => `${indexPath(index)}/curation`;

const isEmpty = ({ rules, synonyms }: Curation) => rules.length === 0 && synonyms.length === 0;

/** The rules and synonyms of an index; undefined where it has none. */
export async function readCuration(api: Api, index: string): Promise<Curation | undefined> {
  const { rules, synonyms } = api.jsonOf<Curation>(await api.call('GET', pathOf(index)));
  return isEmpty({ rules, synonyms }) ? undefined : { rules, synonyms };
}

/** The outcome of rules and synonyms that were brought. */
export interface CurationOutcome {
  readonly isStored: boolean;
  /** The sentence about it. */
  readonly told: string;
}

/** Gives an index the rules and synonyms of an export, unless it has other ones of its own, which stay. */
export async function putCuration(api: Api, index: string, brought: Curation): Promise<CurationOutcome> {
  const what = `${count(brought.rules, 'rule')} and ${count(brought.synonyms, 'entry', 'entries')} of synonyms`;
  const own = await readCuration(api, index);
  if (own !== undefined) {
    const isSame = JSON.stringify(own) === JSON.stringify(brought);
    const told = isSame
      ? `Index ${index} has the ${what} of the export`
      : `Index ${index} keeps its own rules and synonyms: the ${what} of the export are left out`;
    return { isStored: true, told };
  }
  const answer = await api.send('PUT', pathOf(index), JSON.stringify(brought));
  if (answer.status === 200) return { isStored: true, told: `Rules of ${index}: ${what}` };
  return { isStored: false, told: `The ${what} of the export were refused: ${messageOf(answer)}` };
}

function count(list: readonly object[], one: string, several = `${one}s`): string {
  return `${list.length} ${list.length === 1 ? one : several}`;
}
