import type { Operation } from './operation.js';

/**
 * The request target by which `operation` is called: its path with each parameter percent-encoded, so that no value, with
 * slashes, dots or a query in it, leads to another operation; and a query.
 * @throws Error for a parameter that is missing
 */
export function targetOf(
  { operationId, path }: Pick<Operation, 'operationId' | 'path'>,
  params: Readonly<Record<string, string>>,
  query = new URLSearchParams(),
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${operationId} is called without '${name}'`);
    return encodeURIComponent(value);
  });
  return query.size === 0 ? filled : `${filled}?${query}`;
}
