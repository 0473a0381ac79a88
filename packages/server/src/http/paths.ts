import type { Operation } from '@pelorus/contract';

/** Parameters that take the rest of the path: an id may hold slashes. */
const restOfPath = new Set(['documentId']);

/** `/indexes/{indexName}` -> `/indexes/:indexName`; a parameter that takes the rest becomes `*`. */
export function routeUrl(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => (restOfPath.has(name) ? '*' : `:${name}`));
}

/** The name under which the router hands over the parameter `name`. */
export function routeParameter(name: string): string {
  return restOfPath.has(name) ? '*' : name;
}

function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)\}/g, (_, name: string) => (restOfPath.has(name) ? '.+' : '[^/]+'));
  return new RegExp(`^${source}$`);
}

/** The paths that a service answers to. */
export class KnownPaths {
  readonly #rows: readonly { pattern: RegExp; method: string }[];

  constructor(operations: readonly Operation[]) {
    this.#rows = operations.map(({ path, method }) => ({ pattern: patternOf(path), method }));
  }

  /** Methods that `path` (without query) answers to; none when there is no such path. */
  methodsOf(path: string): string[] {
    return [...new Set(this.#rows.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  }

  /** Where a known path with a slash too many should go. */
  withoutTrailingSlash(target: string): string | undefined {
    const { path, query } = splitTarget(target);
    if (path.length < 2 || !path.endsWith('/')) return undefined;
    const shorter = path.slice(0, -1);
    return this.methodsOf(shorter).length > 0 ? shorter + query : undefined;
  }
}

/** A request target in its two parts; the query keeps its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at) };
}
