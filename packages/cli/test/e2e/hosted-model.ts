import { expect } from 'vitest';
import type { Random } from '../../src/demo/random.js';
import { type ServerProcess, withAdminKey } from './server-process.js';

/** The state that an index must have once nothing is under way. */
interface Expected {
  readonly inferences: number;
  readonly hasDocument: boolean;
}

/** The states in which a name may be found: several as long as nobody knows whether the last call arrived. */
type Possible = readonly (Expected | null)[];

const SETTINGS = {
  model: 'no_model',
  modelProperties: { type: 'no_model', dimensions: 2 },
  annParameters: { spaceType: 'euclidean', parameters: { efConstruction: 16, m: 4 } },
};
const DOCUMENT = { _id: 'one', title: 'Orbit' };
const PAUSE_MS = 20;

/** A plain model of the control plane: calls are made of a server and of it, and what is there is compared. */
export class HostedModel {
  readonly #names: readonly string[];
  readonly #random: Random;
  readonly #possible = new Map<string, Possible>();
  /** Calls whose success was answered. */
  acknowledged = 0;

  constructor(names: readonly string[], random: Random) {
    this.#names = names;
    this.#random = random;
    for (const name of names) this.#possible.set(name, [null]);
  }

  /** Makes one random call. Its outcome follows from the model alone; false when the server is gone. */
  async step(server: ServerProcess): Promise<boolean> {
    const name = this.#names[this.#random.int(0, this.#names.length - 1)] as string;
    const [now = null] = this.#possible.get(name) as Possible;
    const path = `/api/v2/indexes/${name}`;
    if (now === null) {
      const inferences = this.#random.int(0, 1);
      const body = { ...SETTINGS, numberOfInferences: inferences };
      return await this.#change(server, name, { inferences, hasDocument: false }, 'POST', path, body);
    }
    const choice = this.#random.int(0, 3);
    if (choice === 0) return await this.#change(server, name, null, 'DELETE', path);
    if (choice === 1) return await this.#refused(server, 409, 'POST', path, SETTINGS);
    if (choice === 2 && now.inferences > 0 && !now.hasDocument) return await this.#addDocument(server, name, now);
    const inferences = this.#random.int(0, 2);
    return await this.#change(server, name, { ...now, inferences }, 'PUT', path, { numberOfInferences: inferences });
  }

  /** Waits until no transition is under way, and takes note of which of what was possible has come about. */
  async settle(server: ServerProcess): Promise<void> {
    const states = await settledStates(server, this.#names);
    for (const name of this.#names) {
      const found = await this.#found(name, states.get(name));
      const possible = this.#possible.get(name) as Possible;
      expect(possible, `${name} after ${this.acknowledged} calls`).toContainEqual(found);
      this.#possible.set(name, [found]);
    }
  }

  async #found(name: string, record: any): Promise<Expected | null> {
    if (record === undefined) return null;
    expect(record.indexStatus, record.errorMsg).toBe('READY');
    const inferences = Number(record.numberOfInferences);
    const call = await fetch(`${record.marqoEndpoint}/indexes/${name}/documents/${DOCUMENT._id}`, {
      headers: { 'x-api-key': withAdminKey.PELORUS_ADMIN_KEY },
    });
    await call.body?.cancel();
    if (inferences > 0) return { inferences, hasDocument: call.status === 200 };
    expect(call.status).toBe(503);
    // Nobody can look into it now; that its document comes back is seen when it is called again.
    const [before] = (this.#possible.get(name) as Possible).filter((one) => one?.inferences === 0);
    return { inferences, hasDocument: before?.hasDocument ?? false };
  }

  async #change(
    server: ServerProcess,
    name: string,
    after: Expected | null,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<boolean> {
    const before = this.#possible.get(name) as Possible;
    this.#possible.set(name, [...before, after]);
    const answer = await server.call(method, path, body).catch(() => null);
    if (answer === null) return false;
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    this.acknowledged += 1;
    this.#possible.set(name, [after]);
    return true;
  }

  async #refused(server: ServerProcess, status: number, method: string, path: string, body: unknown): Promise<boolean> {
    const answer = await server.call(method, path, body).catch(() => null);
    if (answer !== null) expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    return answer !== null;
  }

  async #addDocument(server: ServerProcess, name: string, now: Expected): Promise<boolean> {
    const after = { ...now, hasDocument: true };
    const record = await server.call('GET', `/api/v2/indexes/${name}`).catch(() => null);
    if (record === null) return false;
    this.#possible.set(name, [now, after]);
    const path = `${record.body.marqoEndpoint}/indexes/${name}/documents`.slice(server.address.length);
    const answer = await server.call('POST', path, { documents: [DOCUMENT] }).catch(() => null);
    if (answer === null) return false;
    expect(answer.body.errors, JSON.stringify(answer.body)).toBe(false);
    this.acknowledged += 1;
    this.#possible.set(name, [after]);
    return true;
  }
}

/** The records of those of `names` that are there, once each is in a state that lasts. */
export async function settledStates(server: ServerProcess, names: readonly string[]): Promise<Map<string, any>> {
  for (;;) {
    const { results } = await server.ok('GET', '/api/v2/indexes');
    const records = results.filter(({ indexName }: any) => names.includes(indexName));
    if (records.every(({ indexStatus }: any) => indexStatus === 'READY' || indexStatus === 'FAILED')) {
      return new Map(records.map((record: any) => [record.indexName, record]));
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
