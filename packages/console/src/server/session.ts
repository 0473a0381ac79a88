import { type Fetch, Pelorus } from '@pelorus/client';
import { Store } from '../store.js';
import { Endpoints } from './endpoints.js';
import { notingReach } from './reach.js';

/** The server that this page came from: what stands in front of `console/` in its address. */
export const SERVER_URL = new URL('..', new URL(location.pathname, location.origin)).href.replace(/\/$/, '');

/** Tells whether the server is in the hosted form, where each index has an endpoint: the page says with which it came. */
export const isHosted = document.querySelector('meta[name="pelorus-service"]')?.getAttribute('content') === 'hosted';

const endpoints = new Endpoints(SERVER_URL);

/** The address at which programs call an index. */
export const addressOf = (index: string): string => (isHosted ? endpoints.addressOf(index) : SERVER_URL);

/** Tells whether the last request had no answer, whichever part of the page made it. */
export const isAway = new Store(false);

const send = notingReach(isHosted ? endpoints.fetch : (address, init) => fetch(address, init), isAway);

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
  return { key, client: new Pelorus({ url: SERVER_URL, apiKey: key, retries: 1, fetch: send }) };
}

/** A client of the process of an index in the hosted form, for calls that are of no index. */
export function clientAt(index: string): Pelorus {
  return new Pelorus({ url: SERVER_URL, apiKey: session.value.key, retries: 1, fetch: endpoints.at(index) });
}

/** A client whose changes are refused where what they change is of another version by now. */
export function clientOfVersion(version: number): Pelorus {
  const { key } = session.value;
  const fetch: Fetch = (address, init) =>
    send(address, { ...init, headers: { ...(init.headers as Record<string, string>), 'if-match': `"${version}"` } });
  return new Pelorus({ url: SERVER_URL, apiKey: key, retries: 0, fetch });
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
