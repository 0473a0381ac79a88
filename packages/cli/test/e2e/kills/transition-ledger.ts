import type { Random } from '../../../src/demo/random.js';
import { HostedModel } from '../hosted-model.js';
import type { ServerProcess } from '../server-process.js';
import { isBroken, type Ledger } from './ledger.js';

/** Creates, fills, pauses, resumes, grows and deletes hosted indexes: one transition at a time. */
export class TransitionLedger implements Ledger {
  readonly name = 'transitions';
  readonly #model: HostedModel;

  constructor(names: readonly string[], random: Random) {
    this.#model = new HostedModel(names, random);
  }

  get acknowledged(): number {
    return this.#model.acknowledged;
  }

  async write(server: ServerProcess): Promise<boolean> {
    try {
      if (!(await this.#model.step(server))) return false;
      await this.#model.settle(server);
      return true;
    } catch (error) {
      if (!isBroken(error)) throw error;
      return false;
    }
  }

  verify(server: ServerProcess): Promise<void> {
    return this.#model.settle(server);
  }
}
