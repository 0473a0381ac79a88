import { AddBatch as NativeBatch, Engine as NativeEngine } from '@pelorus/node';
import type { AddBatch, EngineHealth, ItemsResponse, SearchPlan, StorageEngine } from './storage-engine.js';

/** Bounds of all indexes of an {@link EmbeddedEngine}. What an index holds already stays, whatever they say. */
export interface EmbeddedEngineOptions {
  /** Distinct text fields of an unstructured index. Default 100, at most 50,000. */
  readonly lexicalFieldsMax?: number;
  /** Distinct tensor fields of an unstructured index. Default 100. */
  readonly tensorFieldsMax?: number;
  /** Values of one `IN` list of a filter. Default 10,000. */
  readonly inFilterValuesMax?: number;
  /** What operators know these bounds by; messages that refuse something for a bound name it so. */
  readonly settingNames?: Partial<Record<'lexicalFieldsMax' | 'tensorFieldsMax' | 'inFilterValuesMax', string>>;
}

/** The engine in this process: native code over one data directory. */
export class EmbeddedEngine implements StorageEngine {
  readonly #native: NativeEngine;

  private constructor(native: NativeEngine) {
    this.#native = native;
  }

  /**
   * Opens a data directory, making it where it is missing.
   *
   * Fails with `data_directory_in_use`, `data_directory_unreadable` or `newer_format`, and has then
   * touched nothing.
   */
  static async open(directory: string, options: EmbeddedEngineOptions = {}): Promise<EmbeddedEngine> {
    return new EmbeddedEngine(await NativeEngine.open(directory, toJson(options)));
  }

  createIndex(name: string, definition: Uint8Array): Promise<void> {
    return this.#native.createIndex(name, definition);
  }

  dropIndex(name: string): Promise<void> {
    return this.#native.dropIndex(name);
  }

  listIndexes(): string[] {
    return this.#native.listIndexes();
  }

  definition(name: string): Buffer {
    return this.#native.definition(name);
  }

  stats(name: string): Promise<Buffer> {
    return this.#native.stats(name);
  }

  health(): EngineHealth {
    return JSON.parse(this.#native.health().toString('utf8')) as EngineHealth;
  }

  prepareAdd(name: string, body: Uint8Array): Promise<AddBatch> {
    return this.#native.prepareAdd(name, body);
  }

  async apply(batch: AddBatch, vectors: Float32Array): Promise<ItemsResponse> {
    if (!(batch instanceof NativeBatch)) throw new TypeError('the batch was prepared by another engine');
    return this.#native.apply(batch, vectors);
  }

  getDocuments(name: string, request: Uint8Array): Promise<ItemsResponse> {
    return this.#native.getDocuments(name, request);
  }

  deleteDocuments(name: string, request: Uint8Array): Promise<ItemsResponse> {
    return this.#native.deleteDocuments(name, request);
  }

  search(name: string, plan: SearchPlan, vectors: Float32Array): Promise<Buffer> {
    return this.#native.search(name, toJson(plan), vectors);
  }

  close(): Promise<void> {
    return this.#native.close();
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
