import { Store } from './store.js';

/** A place of the console: the segments of its address behind the `#`, decoded, and its parameters. */
export interface Route {
  readonly segments: readonly string[];
  readonly parameters: URLSearchParams;
}

/** The place that the address names. It changes with links, and with the browser's way back. */
export const route = new Store<Route>(read());

addEventListener('hashchange', () => route.set(read()));

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { segments: path.split('/').filter(Boolean).map(decoded), parameters: new URLSearchParams(query) };
}

/** An address that somebody typed may be no percent-encoding. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address of a place, for a link. */
export function address(segments: readonly string[], parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${segments.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

export function go(segments: readonly string[], parameters: Readonly<Record<string, string>> = {}): void {
  location.hash = address(segments, parameters);
}

/** Goes on to a place in the stead of the one before: the way back leads past that. */
export function goOn(segments: readonly string[]): void {
  location.replace(address(segments));
}

/** Writes the place that a page shows already into the address, as a step of the browser's history where it is another one. */
export function push(segments: readonly string[], parameters: Readonly<Record<string, string>> = {}): void {
  const next = address(segments, parameters);
  if (next !== location.hash) history.pushState(null, '', next);
}

/** Writes the place into the address without a step of its own in the browser's history. */
export function replace(segments: readonly string[], parameters: Readonly<Record<string, string>> = {}): void {
  history.replaceState(null, '', address(segments, parameters));
}
