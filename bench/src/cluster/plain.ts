import type { Connection } from '../server/connection.ts';
import type { Product, ProductQuery, Products } from './products.ts';
import type { Kind } from './requests.ts';

const SHOWN = '"size":10,"track_total_hits":false,"_source":["text","category","number"]';
/** As far as our server looks for ten hits. */
const EFFORT = 200;

/** OpenSearch as its users write to it and ask it: fields of its own types, one vector for each document. */
export class PlainIndex {
  readonly #connection: Connection;
  readonly #path: string;

  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.#path = `/${name}`;
  }

  async create({ dim }: Products, { m, efConstruction }: { m: number; efConstruction: number }): Promise<void> {
    const method = { name: 'hnsw', engine: 'lucene', space_type: 'innerproduct' };
    const parameters = { m, ef_construction: efConstruction };
    const body = {
      settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0 } },
      mappings: {
        properties: {
          text: { type: 'text', analyzer: 'english' },
          category: { type: 'keyword' },
          number: { type: 'integer' },
          vector: { type: 'knn_vector', dimension: dim, method: { ...method, parameters } },
        },
      },
    };
    await this.#connection.send('PUT', this.#path, JSON.stringify(body));
  }

  /** Adds products, which searches find from then on. */
  async add(products: readonly Product[]): Promise<void> {
    const lines = products.map(
      ({ id, text, category, number, vector }) =>
        `{"index":{"_id":"${id}"}}\n{"text":"${text}","category":"${category}","number":${number},"vector":${vector}}\n`,
    );
    const answer = await this.#connection.post(`${this.#path}/_bulk?refresh=true&filter_path=errors`, lines.join(''));
    if ((JSON.parse(answer) as { errors: boolean }).errors) throw new Error('OpenSearch refused a document');
  }

  async search(kind: Kind, query: ProductQuery): Promise<string[]> {
    const answer = await this.#connection.post(`${this.#path}/_search`, `{"query":${queryOf(kind, query)},${SHOWN}}`);
    const { hits } = JSON.parse(answer) as { hits: { hits: { _id: string }[] } };
    return hits.hits.map(({ _id }) => _id);
  }

  async drop(): Promise<void> {
    await this.#connection.send('DELETE', this.#path);
  }
}

function queryOf(kind: Kind, { words, vector }: ProductQuery): string {
  const match = `{"match":{"text":"${words}"}}`;
  const filter = kind === 'tensor, a tenth passes' ? ',"filter":{"term":{"category":"c3"}}' : '';
  const knn = `{"knn":{"vector":{"vector":${vector},"k":10,"method_parameters":{"ef_search":${EFFORT}}${filter}}}}`;
  if (kind === 'lexical') return match;
  return kind === 'hybrid' ? `{"bool":{"should":[${match},${knn}]}}` : knn;
}
