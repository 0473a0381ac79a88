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

/**
 * Matches the path before a parameter that takes the rest, with any number of slashes; undefined where there is none.
 */
function headOf(path: string): RegExp | undefined {
  const [, head = '', last = ''] = /^(.*)\/\{(\w+)\}$/.exec(path) ?? [];
  if (!restOfPath.has(last)) return undefined;
  return new RegExp(`^${head.replaceAll('/', '/+').replace(/\{\w+\}/g, '[^/]+')}/`);
}

/** The paths that a service answers to. */
export class KnownPaths {
  readonly #rows: readonly { pattern: RegExp; method: string }[];
  /** Match the path before each parameter that takes the rest. */
  readonly #heads: readonly RegExp[];

  constructor(operations: readonly Operation[]) {
    this.#rows = operations.map(({ path, method }) => ({ pattern: patternOf(path), method }));
    this.#heads = operations.flatMap(({ path }) => headOf(path) ?? []);
  }

  /** Methods that `path` (without query) answers to; none when there is no such path. */
  methodsOf(path: string): string[] {
    return [...new Set(this.#rows.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  }

  /**
   * `target` with one slash wherever it has several: clients put a path behind an address that ends with one. In an id that
   * takes the rest of the path they count.
   */
  withoutRepeatedSlashes(target: string): string {
    if (!target.includes('//')) return target;
    const { path, query } = splitTarget(target);
    if (!path.startsWith('/')) return target;
    const head = this.#heads.map((one) => one.exec(path)?.[0]).find((found) => found !== undefined) ?? path;
    return head.replace(/\/{2,}/g, '/') + path.slice(head.length) + query;
  }

  /** The target of a known path with a slash too many. */
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
