import { Pelorus } from '@pelorus/client';
import { Store } from '../store.js';

/** The server that this page came from: what stands in front of `console/` in its address. */
export const SERVER_URL = new URL('..', new URL(location.pathname, location.origin)).href.replace(/\/$/, '');

const REMEMBERED = 'pelorus-console-key';

/** The key that calls carry, and the client that makes them. */
export interface Session {
  readonly key: string;
  readonly client: Pelorus;
}

/** Undefined where the browser keeps nothing for this page. */
function remembered(): string {
  try {
    return sessionStorage.getItem(REMEMBERED) ?? '';
  } catch {
    return '';
  }
}

/** @throws TypeError for a key that no header can carry */
function sessionOf(key: string): Session {
  return { key, client: new Pelorus({ url: SERVER_URL, apiKey: key, retries: 1 }) };
}

function firstSession(): Session {
  try {
    return sessionOf(remembered());
  } catch {
    return sessionOf('');
  }
}

export const session = new Store<Session>(firstSession());

/** The reason for which the server wants a key, or another one; undefined while it does not. */
export const keyWanted = new Store<string | undefined>(undefined);

/**
 * Makes calls with another key from now on. It lives in the memory of this page alone, unless whoever gave it wants it
 * kept until the tab is closed.
 *
 * @throws TypeError for a key that no header can carry
 */
export function changeKey(key: string, isKept: boolean): void {
  const next = sessionOf(key);
  try {
    if (isKept && key !== '') sessionStorage.setItem(REMEMBERED, key);
    else sessionStorage.removeItem(REMEMBERED);
  } catch {
    // The browser keeps nothing: the key lives as long as the page.
  }
  keyWanted.set(undefined);
  session.set(next);
}
