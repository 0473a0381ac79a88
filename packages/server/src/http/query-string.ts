/** Reads a query string; of a repeated name the last value counts, empty names (`?&a=1`) are dropped. */
export function parseQueryString(text: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  if (text === '') return query;
  for (const [name, value] of new URLSearchParams(text)) if (name !== '') query[name] = value;
  return query;
}
