import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PRODUCTS = [
  {
    id: 'p1',
    vector: [1, 0, 0],
    ...{ name: 'Snow boots', description: 'Warm boots for deep snow', brand: 'Northpeak', price: 89.5, stock: 12 },
    tags: ['winter', 'boots'],
  },
  {
    id: 'p2',
    vector: [0, 1, 0],
    ...{ name: 'Garden shears', description: 'Shears that cut roses', brand: 'Greenhand', price: 24, stock: 0 },
  },
  {
    id: 'p3',
    vector: [0, 0, 1],
    ...{ name: 'Desk lamp', description: 'A lamp with a warm light', brand: 'Lumen', price: 39.9, stock: 5 },
    tags: ['home', 'light'],
  },
  {
    id: 'p4',
    vector: [0.8, 0.6, 0],
    ...{
      name: 'Rain coat',
      description: 'A light coat against wind and rain',
      brand: 'Northpeak',
      price: 59,
      stock: 8,
    },
    tags: ['rain'],
  },
];

/** Answers of a service by path, in the shapes that it documents. */
type Answers = Readonly<Record<string, unknown>>;

const qdrant: Answers = {
  '/collections/products': { result: { config: { params: { vectors: { size: 3, distance: 'Cosine' } } } } },
  '/collections/products/points/scroll': {
    result: {
      points: PRODUCTS.map(({ id, vector, ...payload }) => ({ id, vector, payload })),
      next_page_offset: null,
    },
  },
};

const typesense: Answers = {
  '/collections/products': {
    fields: [
      { name: '.*', type: 'auto' },
      { name: 'vector', type: 'float[]', num_dim: 3 },
    ],
  },
  '/collections/products/documents/export': PRODUCTS.map((product) => JSON.stringify(product)).join('\n'),
};

const openSearch: Answers = {
  '/products/_mapping': {
    products: {
      mappings: {
        properties: {
          name: { type: 'text' },
          vector: { type: 'knn_vector', dimension: 3, method: { space_type: 'cosinesimil' } },
        },
      },
    },
  },
  '/products/_search': {
    hits: { hits: PRODUCTS.map(({ id, ...source }) => ({ _id: id, _source: source, sort: [id] })) },
  },
};

/** Services with one collection, each behind an address of its own. */
export class MovingServices {
  readonly #servers: readonly Server[];
  /** Addresses of the services by those that pages name them by. */
  readonly replaced: Readonly<Record<string, string>>;

  private constructor(servers: readonly Server[], named: readonly string[]) {
    this.#servers = servers;
    const addresses = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    this.replaced = Object.fromEntries(named.map((name, at) => [name, addresses[at] ?? '']));
  }

  static async open(): Promise<MovingServices> {
    const named = {
      'http://127.0.0.1:6333': qdrant,
      'http://127.0.0.1:8108': typesense,
      'http://127.0.0.1:9200': openSearch,
    };
    const servers = Object.values(named).map((answers) =>
      createServer((request, response) => {
        const answer = answers[request.url?.split('?', 1)[0] ?? ''];
        response.statusCode = answer === undefined ? 404 : 200;
        response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}));
      }).listen(0, '127.0.0.1'),
    );
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return new MovingServices(servers, Object.keys(named));
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }
}
