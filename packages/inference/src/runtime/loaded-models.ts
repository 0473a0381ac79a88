import { setTimeout } from 'node:timers/promises';
import { PelorusError } from '@pelorus/contract';
import type { ResolvedModel } from '../resolved-model.js';
import type { ModelAuth } from '../sources/model-auth.js';
import type { ModelStore } from '../sources/model-store.js';
import type { Device } from './device.js';
import type { InferencePool } from './inference-pool.js';
import { TextEncoder } from './text-encoder.js';

/** A model in memory. */
export interface LoadedModel {
  readonly key: string;
  readonly device: Device;
  /** Every name it was asked for by. */
  readonly names: Set<string>;
  readonly size: number;
  /** Null for a model without weights. */
  readonly encoder: TextEncoder | null;
}

/** How long a load waits for another that is under way. */
const TURN_MS = 2_000;

/** The models in memory, least recently used first, within a budget. */
export class LoadedModels {
  readonly #pool: InferencePool;
  readonly #store: ModelStore;
  readonly #memory: number;
  readonly #models = new Map<string, LoadedModel>();
  readonly #loading = new Map<string, Promise<LoadedModel>>();
  #turn: Promise<unknown> | null = null;

  constructor(pool: InferencePool, store: ModelStore, memory: number) {
    this.#pool = pool;
    this.#store = store;
    this.#memory = memory;
  }

  /**
   * The model, loaded if need be. Equal loads are one load.
   *
   * @throws PelorusError `bad_request` when it cannot be had, `model_cache_management_error` when there is
   *   no room for it or another load takes too long.
   */
  async get(model: ResolvedModel, device: Device, auth: ModelAuth | undefined): Promise<LoadedModel> {
    const place = `${model.key} ${device}`;
    const found = this.#models.get(place) ?? (await this.#load(place, model, device, auth));
    found.names.add(model.name);
    // Put last: the map's order is the order of use.
    if (this.#models.delete(place)) this.#models.set(place, found);
    return found;
  }

  /** One row for each name and device. */
  list(): { model_name: string; model_device: string }[] {
    return [...this.#models.values()].flatMap(({ names, device }) =>
      [...names].map((name) => ({ model_name: name, model_device: device })),
    );
  }

  /** Unloads the model of that name, else the first whose name starts so, and says which. Null when there is none. */
  async eject(name: string, device: string): Promise<string | null> {
    const onDevice = [...this.#models].filter(([, model]) => model.device === device.toLowerCase());
    const found =
      onDevice.find(([, { names }]) => names.has(name)) ??
      onDevice.find(([, { names }]) => [...names].some((known) => known.startsWith(name)));
    if (found === undefined) return null;
    const [place, model] = found;
    this.#models.delete(place);
    await model.encoder?.release();
    return model.names.has(name) ? name : ([...model.names].find((known) => known.startsWith(name)) ?? name);
  }

  #load(place: string, model: ResolvedModel, device: Device, auth: ModelAuth | undefined): Promise<LoadedModel> {
    const running = this.#loading.get(place);
    if (running !== undefined) return running;
    const started = this.#open(place, model, device, auth)
      .catch((error) => {
        throw this.#store.withoutFolders(error, model);
      })
      .finally(() => this.#loading.delete(place));
    this.#loading.set(place, started);
    return started;
  }

  async #open(place: string, model: ResolvedModel, device: Device, auth: ModelAuth | undefined) {
    const { key, name, size } = model;
    const loaded = (encoder: TextEncoder | null): LoadedModel => ({
      key,
      device,
      names: new Set([name]),
      size,
      encoder,
    });
    if (model.weights.kind === 'random') {
      const random = loaded(null);
      this.#models.set(place, random);
      return random;
    }
    const folder = await this.#store.ensure(model, auth === undefined ? {} : { auth });
    return this.#inTurn(async () => {
      await this.#makeRoom(model, device);
      const opened = loaded(await TextEncoder.open(this.#pool, model, folder));
      this.#models.set(place, opened);
      return opened;
    });
  }

  /** One load at a time, so that two do not count on the same room. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + TURN_MS;
    while (this.#turn !== null) {
      const left = deadline - Date.now();
      if (left <= 0) throw busy();
      await Promise.race([this.#turn, setTimeout(left)]);
    }
    const turn = work();
    this.#turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#turn = null;
    }
  }

  async #makeRoom(model: ResolvedModel, device: Device): Promise<void> {
    if (model.size > this.#memory) throw noRoom(model, device, this.#memory);
    const used = () => [...this.#models.values()].reduce((sum, { size }) => sum + size, 0);
    while (used() + model.size >= this.#memory && this.#models.size > 0) {
      const idle = [...this.#models].find(([, { encoder }]) => !encoder?.isBusy);
      if (idle === undefined) throw noRoom(model, device, this.#memory);
      this.#models.delete(idle[0]);
      await idle[1].encoder?.release();
    }
  }
}

function busy(): PelorusError {
  return new PelorusError(
    'model_cache_management_error',
    'Another request is loading a model at this moment. Wait for a few seconds and send the request again.',
  );
}

function noRoom(model: ResolvedModel, device: Device, memory: number): PelorusError {
  return new PelorusError(
    'model_cache_management_error',
    `There is not enough room to load model ${model.name} on ${device}: it takes ${model.size} ` +
      `of a model memory of ${memory}, and what is loaded is in use.`,
  );
}
