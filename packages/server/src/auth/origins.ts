/** The forms of an origin in a list, for the message that refuses another text. */
export const originsExpected = "an origin such as 'https://shop.example' or 'https://*.shop.example'";

/** Any subdomain, in the place of the first label. */
const ANY = '*.';

/** Names below which registries of countries sell domains, as in `co.uk`: a subdomain of these is anybody's. */
const SOLD_BELOW = /^(ac|co|com|edu|gen|go|gob|gov|govt|gv|id|ind|info|ltd|me|mil|ne|net|nom|or|org|plc|sch|web)$/;

/**
 * An entry of a list of origins as it is compared: what a browser would send, or that with `*.` before the host.
 * Undefined for anything else, and for a pattern below which domains are sold to anybody: `https://*.com`.
 */
export function readOriginPattern(text: string): string | undefined {
  const [, scheme = '', any = '', authority = ''] = /^(https?):\/\/(\*\.)?([^/?#@*]+)\/?$/i.exec(text) ?? [];
  const url = URL.parse(`${scheme}://${authority}`);
  if (scheme === '' || url === null || url.hostname === '') return undefined;
  if (any !== '' && isAnybodys(url.hostname)) return undefined;
  return `${url.protocol}//${any}${url.host}`;
}

function isAnybodys(domain: string): boolean {
  if (domain === 'localhost') return false;
  const [second = '', country = '', ...others] = domain.replace(/\.$/, '').split('.');
  return country === '' || (others.length === 0 && country.length === 2 && SOLD_BELOW.test(second));
}

/** Tells whether `origin`, as an Origin header has it, is one of `patterns`. */
export function isListed(origin: string, patterns: Iterable<string>): boolean {
  for (const pattern of patterns) if (matches(origin, pattern)) return true;
  return false;
}

function matches(origin: string, pattern: string): boolean {
  const at = pattern.indexOf(ANY);
  if (at < 0) return origin === pattern;
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)];
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false;
  return /^[a-z\d-]+(\.[a-z\d-]+)*$/.test(origin.slice(start.length, -end.length));
}
