import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { operations, PelorusError, targetOf } from '@pelorus/contract';
import {
  defaultResources,
  type HostedIndex,
  type HostedIndexes,
  type IndexAnswer,
  type IndexOrder,
  type IndexRequest,
  type ShopRecord,
} from '@pelorus/hosted';
import type { FastifyInstance } from 'fastify';

/** Hosted indexes that are served in this process: by the real server, without one of its own for each. */
export class InProcessIndexes implements HostedIndexes {
  readonly #app: FastifyInstance;
  readonly #folder: string;
  readonly #indexes = new Map<string, HostedIndex>();
  /** Names of indexes whose processes are starting, as hosted ones do now and then. */
  readonly starting = new Set<string>();
  #listed: readonly HostedIndex[] | null = null;
  #count = 0;

  /**
   * @param app what serves all of them
   * @param folder for what others keep of them
   */
  constructor(app: FastifyInstance, folder: string) {
    this.#app = app;
    this.#folder = folder;
  }

  list(): readonly HostedIndex[] {
    const there = [...this.#indexes.values()].filter(({ state }) => state !== 'DELETED');
    this.#listed ??= there.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.#listed;
  }

  has(id: string): boolean {
    return this.list().some((index) => index.id === id);
  }

  folderOf(id: string): string {
    return join(this.#folder, id);
  }

  get(name: string): HostedIndex | undefined {
    return this.#indexes.get(name);
  }

  async create(name: string, { settings, resources = defaultResources, shop }: IndexOrder): Promise<HostedIndex> {
    const { statusCode, body } = await this.#app.inject({ method: 'POST', url: `/indexes/${name}`, payload: settings });
    if (statusCode !== 200) throw new PelorusError('index_already_exists', body);
    const now = new Date().toISOString();
    const times = { createdAt: now, changedAt: now };
    const known = { id: `i${this.#count++}`, name, state: 'READY' as const, failure: null, settings, resources };
    const index: HostedIndex = { ...known, ...times, shop: shop ?? null };
    await mkdir(this.folderOf(index.id), { recursive: true });
    this.#indexes.set(name, index);
    this.#listed = null;
    return index;
  }

  async noteShopFiles(id: string): Promise<void> {
    const index = this.list().find((one) => one.id === id);
    if (index !== undefined) await this.changeShop(index.name, (shop) => ({ ...shop, hasFiles: true }));
  }

  async changeShop(name: string, change: (shop: ShopRecord) => ShopRecord): Promise<HostedIndex> {
    const index = this.#indexes.get(name) as HostedIndex;
    const changed = { ...index, shop: change(index.shop as ShopRecord) };
    this.#indexes.set(name, changed);
    this.#listed = null;
    return changed;
  }

  async delete(name: string): Promise<void> {
    await this.#app.inject({ method: 'DELETE', url: `/indexes/${name}` });
    const index = this.#indexes.get(name) as HostedIndex;
    this.#indexes.set(name, { ...index, state: 'DELETED' });
    await rm(this.folderOf(index.id), { recursive: true });
    this.#listed = null;
  }

  async call(name: string, { operation, body }: IndexRequest): Promise<IndexAnswer> {
    if (this.#indexes.get(name)?.state !== 'READY')
      throw new PelorusError('index_not_found', `Index ${name} not found`);
    if (this.starting.has(name)) throw new PelorusError('service_unavailable', `Index ${name} is starting`);
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const { method } = operations[operation];
    const url = targetOf(operations[operation], { indexName: name });
    const answer = await this.#app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) });
    const { statusCode, rawPayload } = answer;
    return { status: statusCode, headers: answer.headers as IndexAnswer['headers'], body: rawPayload };
  }
}
