/** Names of JSON in `Accept`, the most specific one first: that one counts. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'] as const;

/**
 * Tells whether an `Accept` header asks for a page rather than for JSON: it names HTML itself, and likes it better, or as
 * well as JSON that it does not name.
 */
export function asksForPage(accept: string | undefined): boolean {
  const qualities = qualitiesOf(accept ?? '');
  const page = qualities.get('text/html') ?? 0;
  const range = JSON_RANGES.find((name) => qualities.has(name));
  const json = (range !== undefined && qualities.get(range)) || 0;
  return page > json || (page > 0 && page === json && range !== 'application/json');
}

/** By media type or range in lower case how much it is liked, from 0 to 1; the most of what is said several times. */
function qualitiesOf(accept: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  // Parameters of a type may be in quotes, and have commas there.
  for (const part of accept.replace(/"(?:\\.|[^"\\])*"?/g, '""').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const quality = qualityOf(parameters.find((text) => text.startsWith('q='))?.slice(2));
    qualities.set(name, Math.max(quality, qualities.get(name) ?? 0));
  }
  return qualities;
}

/** One that is none counts as a refusal. */
function qualityOf(text: string | undefined): number {
  if (text === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
