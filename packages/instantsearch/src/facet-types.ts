import type { Service } from './service.js';

/** The kind of values that a facet counts: texts, the texts of lists, or numbers. */
export type FacetType = 'string' | 'array' | 'number';

const TYPES: readonly FacetType[] = ['string', 'array', 'number'];

/** Knows which kinds of values the fields of indexes have: as it was told, or else as the documents show. */
export class FacetTypes {
  readonly #service: Pick<Service, 'search'>;
  readonly #told: Readonly<Record<string, FacetType>>;
  /** Kinds that were found, by index and field. */
  readonly #found = new Map<string, Promise<readonly FacetType[]>>();

  constructor(service: Pick<Service, 'search'>, told: Readonly<Record<string, FacetType>> = {}) {
    this.#service = service;
    this.#told = told;
  }

  /** Fields that were told. */
  get names(): readonly string[] {
    return Object.keys(this.#told);
  }

  /** The kinds of values that a field has in the documents of an index; most have one, a field without values none. */
  async of(indexName: string, field: string): Promise<readonly FacetType[]> {
    const told = Object.hasOwn(this.#told, field) ? this.#told[field] : undefined;
    if (told !== undefined) return [told];
    const key = JSON.stringify([indexName, field]);
    let found = this.#found.get(key);
    if (found === undefined) {
      found = this.#look(indexName, field);
      this.#found.set(key, found);
      // Documents may come to have it, and servers come back.
      const forget = () => this.#found.delete(key);
      found.then((types) => types.length === 0 && forget(), forget);
    }
    return found;
  }

  /** Forgets what was found. */
  clear(): void {
    this.#found.clear();
  }

  async #look(indexName: string, field: string): Promise<readonly FacetType[]> {
    const everything = { indexName, q: '*', searchMethod: 'LEXICAL', limit: 1, attributesToRetrieve: [] };
    const answers = await this.#service.search(
      TYPES.map((type) => ({ ...everything, facets: { fields: { [field]: { type, maxResults: 1 } } } })),
    );
    return TYPES.filter((type, at) => {
      const counts = answers[at]?.facets?.[field] ?? {};
      return type === 'number' ? ((counts as { count?: number }).count ?? 0) > 0 : Object.keys(counts).length > 0;
    });
  }
}
