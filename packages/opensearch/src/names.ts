/** The version of the mapping that this release makes. */
export const MAPPING_VERSION = 3;
/**
 * The oldest one that it reads: documents of version 2 have no values that scripts read, so that areas and inner products
 * are refused. Those of version 1 tell no kinds of values, without which filters find nothing.
 */
export const OLDEST_MAPPING_VERSION = 2;

/** Names of indexes as a cluster has them. Services with prefixes of their own share a cluster. */
export class IndexNames {
  /** The alias of the suggestions of all indexes, which {@link pattern} does not match. */
  readonly suggestions: string;
  /** The alias of the keys of all servers, which {@link pattern} does not match either. */
  readonly keys: string;
  /** The same of scans and rankings that several servers read. */
  readonly readings: string;
  readonly #start: string;
  readonly #physical: RegExp;

  /** @param prefix lower case letters and digits, a letter first */
  constructor(prefix: string) {
    if (!/^[a-z][a-z0-9]*$/.test(prefix))
      throw new TypeError(`the prefix of indexes is lower case letters and digits, a letter first: '${prefix}'`);
    this.suggestions = `${prefix}.suggestions`;
    this.keys = `${prefix}.keys`;
    this.readings = `${prefix}.readings`;
    this.#start = `${prefix}-`;
    this.#physical = new RegExp(`^${prefix}-([a-z0-9_~]+)\\.v(\\d+)\\.(\\d+)$`);
  }

  /** Matches all aliases and indexes of ours, and maybe others. */
  get pattern(): string {
    return `${this.#start}*`;
  }

  /** The alias by which calls name an index. */
  alias(name: string): string {
    return this.#start + escaped(name);
  }

  /** The first physical index of a name. */
  first(name: string): string {
    return `${this.alias(name)}.v${MAPPING_VERSION}.1`;
  }

  /** Returns the parts of the name of a physical index; undefined for one of somebody else. */
  read(physical: string): { readonly name: string; readonly mappingVersion: number } | undefined {
    const [, name, version] = this.#physical.exec(physical) ?? [];
    if (name === undefined || version === undefined) return undefined;
    const bytes = name.replaceAll(/~([0-9a-f]{2})/g, '%$1');
    return { name: decodeURIComponent(bytes), mappingVersion: Number(version) };
  }
}

/** Keeps lower case letters, digits and `_`: theirs tell no cases apart, and ours do. */
function escaped(name: string): string {
  let text = '';
  for (const byte of Buffer.from(name)) {
    const character = String.fromCharCode(byte);
    text += /[a-z0-9_]/.test(character) ? character : `~${byte.toString(16).padStart(2, '0')}`;
  }
  return text;
}
