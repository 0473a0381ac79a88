import { useEffect } from 'preact/hooks';
import { goOn } from '../router.js';
import { firstIndex } from './first-index.js';

const KEPT = 'pelorus-console-index';

/** The name of the index that was chosen last, also before the page was loaded; undefined where the browser keeps none. */
function lastIndex(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(name: string): void {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // The browser keeps nothing: the next page asks for the index.
  }
}

/** Remembers the index that is looked at, for other pages and the next visit. */
export function useRemembered(name: string | undefined): void {
  useEffect(() => {
    if (name !== undefined) keep(name);
  }, [name]);
}

/**
 * Leads a page that is about no index yet to that of the first one.
 *
 * @param names those that there are; undefined until they are known, and where nothing is to be led to
 */
export function useFirstIndex(page: string, names: readonly string[] | undefined): void {
  const first = firstIndex(names ?? [], lastIndex());
  useEffect(() => {
    if (first !== undefined) goOn([page, first]);
  }, [page, first]);
}
