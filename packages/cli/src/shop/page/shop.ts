/** The shop that the page is for, as its server wrote it into the page. */
export interface ShopOfPage {
  readonly address: string;
  readonly name: string;
  readonly indexId: string;
  readonly trackingKey: string;
}

export interface Product {
  readonly _id: string;
  readonly productTitle: string;
  readonly description: string;
  readonly brand: string;
  readonly category: string;
  readonly colour: string;
  readonly price: number;
  readonly rating: number;
  readonly reviewCount: number;
  readonly stock: number;
}

/** Counts by value, or by the name of a range. */
export type Counts = Readonly<Record<string, { readonly count: number }>>;

export interface Answer {
  readonly hits: readonly Product[];
  readonly totalHits: number;
  readonly facets?: Readonly<Record<string, Counts>>;
  readonly queryId: string;
  readonly redirect: string | null;
}

const MEMBERS = [
  ...['productTitle', 'description', 'brand', 'category', 'colour'],
  ...['price', 'rating', 'reviewCount', 'stock'],
];

/** Calls the shop as any page may: by its public id, without a key. */
export class Shop {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor({ address, name, indexId }: ShopOfPage) {
    this.#base = `${address}/api/v1/indexes/${encodeURIComponent(name)}`;
    this.#headers = { 'content-type': 'application/json', 'x-svc-index-id': indexId };
  }

  /** @throws Error in words for the shopper */
  search(body: object, signal?: AbortSignal): Promise<Answer> {
    return this.#post('search', { ...body, attributesToRetrieve: MEMBERS }, signal);
  }

  /** Products like another one. */
  async similar(id: string, limit: number): Promise<readonly Product[]> {
    const body = { documentIds: [id], limit, attributesToRetrieve: MEMBERS };
    return (await this.#post('recommendations/similar', body)).hits;
  }

  async #post(path: string, body: object, signal?: AbortSignal): Promise<Answer> {
    const request = { method: 'POST', headers: this.#headers, body: JSON.stringify(body) };
    const answer = await fetch(`${this.#base}/${path}`, signal === undefined ? request : { ...request, signal });
    const told = (await answer.json()) as Answer & { readonly message?: string };
    if (!answer.ok) throw new Error(told.message ?? `The shop answered ${answer.status}.`);
    return told;
  }
}
