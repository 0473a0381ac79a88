import { setTimeout } from 'node:timers/promises';
import { PelorusError } from '@pelorus/contract';
import type { ModelFolder } from '../folder/model-folder.js';
import { vectorKey } from '../registry/model-key.js';
import type { LoadableModel } from '../resolved-model.js';
import { isSameAuth, type ModelAuth } from '../sources/model-auth.js';
import type { ModelStore } from '../sources/model-store.js';
import type { Device } from './device.js';
import type { Devices } from './devices.js';
import type { Encoder, Runtime } from './encoder.js';
import { RandomEncoder } from './random-encoder.js';

/** A model in memory. */
export interface LoadedModel {
  /** As `vectorKey` has it. */
  readonly key: string;
  /** Every name it was asked for by. */
  readonly names: Set<string>;
  /** The name that the list has instead of these; null for none. */
  readonly listedName: string | null;
  /** As declared. */
  readonly size: number;
  /** As its files are, and the additional size of a copy. */
  readonly copySize: number;
  copies: number;
  readonly encoder: Encoder;
}

/** A row of the list of loaded models. */
export interface LoadedRow {
  readonly model_name: string;
  readonly model_device: string;
  readonly encoder: Runtime;
  readonly precision: Encoder['precision'];
}

/** Opens the encoder of a model whose files lie in a folder. */
export type OpenEncoder<Model> = (
  model: Model,
  folder: ModelFolder,
  device: Device,
  copies: number,
) => Promise<Encoder>;

/** Makes the encoder of a model that has no files; null for others. */
export type OpenFileless<Model> = (model: Model, device: Device) => Encoder | null;

/** Tells whether all copies of a model would have their weights in common, before it is opened. */
export type SharesWeights<Model> = (model: Model, folder: ModelFolder) => Promise<boolean>;

/** The record of an unloaded model. */
export interface EjectedModel {
  readonly name: string;
  readonly devices: readonly Device[];
  /** The keys of the spaces of its vectors, as `vectorKey` has them. */
  readonly keys: readonly string[];
}

/** Bytes of one share of the model memory. */
const GIGABYTE = 1e9;

/** Time that a load waits for another that is under way. */
const TURN_MS = 2_000;

/** The memory that a model takes: the declared size or that of its copies, whichever is more. */
const sizeOf = ({ size, copySize, copies }: Pick<LoadedModel, 'size' | 'copySize' | 'copies'>) =>
  Math.max(size, copies * copySize);

/** Tells whether a model takes less with one copy less. */
const hasSpare = (model: LoadedModel) => model.copies > 1 && sizeOf(model) > model.size;

/**
 * The models in memory, least recently used first, within the budget of each device. A model has as many copies as compute
 * at once, as long as there is room; for another it makes do with fewer, and for that a model is unloaded only where all
 * have one.
 */
export class LoadedModels<Model extends LoadableModel> {
  readonly #open: OpenEncoder<Model>;
  readonly #store: ModelStore;
  readonly #devices: Devices;
  readonly #sharesWeights: SharesWeights<Model>;
  readonly #openFileless: OpenFileless<Model>;
  readonly #models = new Map<string, LoadedModel>();
  readonly #loading = new Map<
    string,
    { readonly auth: ModelAuth | undefined; readonly loaded: Promise<LoadedModel> }
  >();
  #turn: Promise<unknown> | null = null;

  constructor(
    open: OpenEncoder<Model>,
    store: ModelStore,
    devices: Devices,
    sharesWeights: SharesWeights<Model> = async () => false,
    openFileless: OpenFileless<Model> = openRandom,
  ) {
    this.#openFileless = openFileless;
    this.#sharesWeights = sharesWeights;
    this.#open = open;
    this.#store = store;
    this.#devices = devices;
  }

  /**
   * The model, loaded if need be. Equal loads are one load; where it fails, those with other credentials try with theirs.
   *
   * @throws PelorusError `bad_request` when it cannot be had, `model_cache_management_error` when there is
   *   no room for it or another load takes too long.
   */
  async get(model: Model, device: Device, auth: ModelAuth | undefined): Promise<LoadedModel> {
    const place = placeOf(vectorKey(model), device);
    const found = await this.#load(place, model, device, auth);
    this.#use(place, found, model.name);
    return found;
  }

  /** The model of that key, as `vectorKey` has it, on a device; undefined where it is not loaded. It is not used by that. */
  find(key: string, device: Device): LoadedModel | undefined {
    return this.#models.get(placeOf(key, device));
  }

  /** Notes that a model was used by another thread, by that name. */
  noteUse(key: string, device: Device, name: string): void {
    const found = this.find(key, device);
    if (found !== undefined) this.#use(placeOf(key, device), found, name);
  }

  /** One row for each name and device. */
  list(): LoadedRow[] {
    const rows = [...this.#models.values()].flatMap((model) =>
      listed(model).map((name) => ({
        model_name: name,
        model_device: model.encoder.device,
        encoder: model.encoder.runtime,
        precision: model.encoder.precision,
      })),
    );
    return [...new Map(rows.map((row) => [`${row.model_name} ${row.model_device}`, row])).values()];
  }

  /** The precision of the model of that key, as `vectorKey` has it; undefined where it is not loaded. */
  precisionOf(key: string): Encoder['precision'] | undefined {
    return [...this.#models.values()].find((model) => model.key === key)?.encoder.precision;
  }

  /** Bytes that all models take, as their copies are. */
  bytes(): number {
    return [...this.#models.values()].reduce((sum, { copies, copySize }) => sum + copies * copySize, 0) * GIGABYTE;
  }

  /**
   * Unloads the models of that name, else those of the first that starts so, from `device`, from every device when there is
   * none given. Null when none is loaded there.
   */
  async eject(name: string, device: string | undefined): Promise<EjectedModel | null> {
    const wanted = device?.toLowerCase();
    const there = [...this.#models].filter(([, model]) => wanted === undefined || model.encoder.device === wanted);
    const names = there.flatMap(([, model]) => [...listed(model), ...model.names]);
    const found = names.find((known) => known === name) ?? names.find((known) => known.startsWith(name));
    if (found === undefined || name === '') return null;
    const ejected = there.filter(([, model]) => model.names.has(found) || model.listedName === found);
    await this.#unload(ejected);
    return {
      name: found,
      devices: [...new Set(ejected.map(([, { encoder }]) => encoder.device))],
      keys: [...new Set(ejected.map(([, { key }]) => key))],
    };
  }

  /** Unloads the model of that key, as `vectorKey` has it, from every device. */
  async release(key: string): Promise<void> {
    await this.#unload([...this.#models].filter(([, model]) => model.key === key));
  }

  /** Unloads all models from a device. */
  async releaseDevice(device: Device): Promise<void> {
    await this.#unload([...this.#models].filter(([, { encoder }]) => encoder.device === device));
  }

  #use(place: string, model: LoadedModel, name: string): void {
    model.names.add(name);
    // Put last: the map's order is the order of use.
    if (this.#models.delete(place)) this.#models.set(place, model);
  }

  async #unload(models: readonly (readonly [place: string, model: LoadedModel])[]): Promise<void> {
    for (const [place] of models) this.#models.delete(place);
    await Promise.all(models.map(([, { encoder }]) => encoder.release()));
    for (const device of new Set(models.map(([, { encoder }]) => encoder.device))) this.#spread(device);
  }

  async #load(place: string, model: Model, device: Device, auth: ModelAuth | undefined): Promise<LoadedModel> {
    const found = this.#models.get(place);
    if (found !== undefined) return found;
    const running = this.#loading.get(place);
    if (running !== undefined) {
      if (isSameAuth(running.auth, auth)) return running.loaded;
      return running.loaded.catch(() => this.#load(place, model, device, auth));
    }
    const loaded = this.#bring(place, model, device, auth)
      .catch((error) => {
        throw this.#store.withoutFolders(error, model);
      })
      .finally(() => this.#loading.delete(place));
    this.#loading.set(place, { auth, loaded });
    return loaded;
  }

  async #bring(place: string, model: Model, device: Device, auth: ModelAuth | undefined) {
    const fileless = this.#openFileless(model, device);
    if (fileless !== null) return this.#keep(place, model, { size: model.size, copySize: 0, copies: 1 }, fileless);
    const folder = await this.#store.ensure(model, auth === undefined ? {} : { auth });
    return this.#inTurn(async () => {
      const copySize = (folder.bytes + this.#devices.limits(device).copyBytes) / GIGABYTE;
      const copiesMax = (await this.#sharesWeights(model, folder)) ? 1 : this.#devices.limits(device).copiesMax;
      const copies = await this.#makeRoom(model, copySize, device, copiesMax);
      const encoder = await this.#open(model, folder, device, copies);
      return this.#keep(place, model, { size: model.size, copySize, copies }, encoder);
    });
  }

  #keep(
    place: string,
    model: Model,
    sizes: Pick<LoadedModel, 'size' | 'copySize' | 'copies'>,
    encoder: Encoder,
  ): LoadedModel {
    const listedName = model.listedName ?? null;
    const loaded = { key: vectorKey(model), names: new Set([model.name]), listedName, ...sizes, encoder };
    this.#models.set(place, loaded);
    return loaded;
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

  /** Makes room for one copy of a model, and for more as far as others have no less. Returns how many. */
  async #makeRoom(model: Model, copySize: number, device: Device, copiesMax: number): Promise<number> {
    const { modelMemory } = this.#devices.limits(device);
    const sizeWith = (copies: number) => sizeOf({ size: model.size, copySize, copies });
    if (sizeWith(1) >= modelMemory) throw noRoom(model, sizeWith(1), device, modelMemory);
    while (this.#used(device) + sizeWith(1) >= modelMemory) {
      if (takeCopy(this.#on(device))) continue;
      const idle = [...this.#models].find(([, { encoder }]) => encoder.device === device && !encoder.isBusy);
      if (idle === undefined) throw noRoom(model, sizeWith(1), device, modelMemory);
      this.#models.delete(idle[0]);
      await idle[1].encoder.release();
    }
    let copies = 1;
    while (copies < copiesMax) {
      const size = sizeWith(copies + 1);
      if (this.#used(device) + size < modelMemory) copies++;
      else if (!takeCopy(this.#on(device).filter((other) => sizeOf(other) - other.copySize >= size))) break;
    }
    return copies;
  }

  /** Uses room that became free for copies that others had to do without, the most recently used first. */
  #spread(device: Device): void {
    const { modelMemory, copiesMax } = this.#devices.limits(device);
    for (const model of this.#on(device).reverse()) {
      const { copies: before, copySize, encoder } = model;
      if (copySize === 0 || encoder.sharesWeights) continue;
      const others = this.#used(device) - sizeOf(model);
      while (model.copies < copiesMax && others + sizeOf({ ...model, copies: model.copies + 1 }) < modelMemory)
        model.copies++;
      if (model.copies > before) encoder.setCopies(model.copies);
    }
  }

  #on(device: Device): LoadedModel[] {
    return [...this.#models.values()].filter(({ encoder }) => encoder.device === device);
  }

  #used(device: Device): number {
    return this.#on(device).reduce((sum, model) => sum + sizeOf(model), 0);
  }
}

/** The encoder of a random model; null for others. */
export function openRandom({ weights, dimensions }: LoadableModel, device: Device): Encoder | null {
  return weights.kind === 'random' ? new RandomEncoder(dimensions, device) : null;
}

const placeOf = (key: string, device: Device) => `${key} ${device}`;

/** The names of a model in the list. */
const listed = ({ listedName, names }: LoadedModel) => (listedName === null ? [...names] : [listedName]);

/** Takes a copy from the first model that has one to spare. */
function takeCopy(models: readonly LoadedModel[]): boolean {
  const rich = models.find(hasSpare);
  if (rich === undefined) return false;
  rich.copies--;
  rich.encoder.setCopies(rich.copies);
  return true;
}

function busy(): PelorusError {
  return new PelorusError(
    'model_cache_management_error',
    'Another request is loading a model at this moment. Wait for a few seconds and send the request again.',
  );
}

function noRoom(model: LoadableModel, size: number, device: Device, memory: number): PelorusError {
  const inUse = size < memory ? ', and what is loaded is in use' : '';
  const reason = size === memory ? ', and must take less' : inUse;
  return new PelorusError(
    'model_cache_management_error',
    `There is not enough room to load model ${model.name} on ${device}: it takes ${Number(size.toFixed(3))} ` +
      `of a model memory of ${memory}${reason}.`,
  );
}
