import { useEffect } from 'preact/hooks';
import { goOn } from '../router.js';
import { firstIndex } from './first-index.js';

const KEPT = 'pelorus-console-index';
const keyOf = (set: string | undefined): string => (set === undefined ? KEPT : `${KEPT}-of-set-${set}`);

/** The name of the index that was chosen last, also before the page was loaded; undefined where the browser keeps none. */
function lastIndex(set?: string): string | undefined {
  try {
    return localStorage.getItem(keyOf(set)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the index that was chosen last, also as that of a set of judgements. */
export function keepIndex(name: string, set?: string): void {
  try {
    localStorage.setItem(KEPT, name);
    if (set !== undefined) localStorage.setItem(keyOf(set), name);
  } catch {
    // The browser keeps nothing: the next page asks for the index.
  }
}

/** Remembers the index that is looked at, for other pages and the next visit. */
export function useRemembered(name: string | undefined): void {
  useEffect(() => {
    if (name !== undefined) keepIndex(name);
  }, [name]);
}

/**
 * Leads a page that is about no index yet to that of the first one.
 *
 * @param names those that there are; undefined until they are known, and where nothing is to be led to
 */
export function useFirstIndex(page: string, names: readonly string[] | undefined): void {
  const first = firstIndex(names ?? [], [lastIndex()]);
  useEffect(() => {
    if (first !== undefined) goOn([page, first]);
  }, [page, first]);
}

/**
 * The index that a set of judgements is about before anybody has chosen: the last one of the set, else the last one at all.
 *
 * @param names those that there are; undefined until they are known
 */
export const lastIndexOf = (names: readonly string[] | undefined, set: string): string | undefined =>
  firstIndex(names ?? [], [lastIndex(set), lastIndex()]);
