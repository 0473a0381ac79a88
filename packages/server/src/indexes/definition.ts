import { PelorusError } from '@pelorus/contract';
import type { StorageEngine } from '@pelorus/engine';
import type { Inference, ResolvedModel } from '@pelorus/inference';
import type { Settings } from './settings.js';

/** What creation worked out and later calls rely on, whatever becomes of the model registry. */
export interface Resolved {
  /** Length of the vectors. */
  readonly dimensions: number;
  /** Prefixes captured at creation; empty for none. */
  readonly textQueryPrefix: string;
  readonly textChunkPrefix: string;
  /** Whether the model can embed at all; `no_model` cannot. */
  readonly embeds: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly modelKey: string;
}

/** What the engine stores as the definition of an index. */
export interface StoredDefinition {
  readonly settings: Settings;
  readonly resolved: Resolved;
}

/** An index as handlers see it. */
export interface IndexDefinition extends StoredDefinition {
  readonly name: string;
  /** The model to embed with. */
  readonly model: () => ResolvedModel;
}

/** Parsed definitions, kept as long as the engine's bytes stay the same. */
export class Definitions {
  readonly #engine: StorageEngine;
  readonly #inference: Inference;
  readonly #parsed = new Map<string, { bytes: Buffer; definition: IndexDefinition }>();

  constructor(engine: StorageEngine, inference: Inference) {
    this.#engine = engine;
    this.#inference = inference;
  }

  /** @throws PelorusError `index_not_found` */
  get(name: string): IndexDefinition {
    const bytes = this.#bytesOf(name);
    const known = this.#parsed.get(name);
    if (known?.bytes.equals(bytes)) return known.definition;
    const definition = this.#parse(name, bytes);
    this.#parsed.set(name, { bytes, definition });
    return definition;
  }

  #bytesOf(name: string): Buffer {
    try {
      return this.#engine.definition(name);
    } catch (error) {
      this.#parsed.delete(name);
      throw error;
    }
  }

  #parse(name: string, bytes: Buffer): IndexDefinition {
    const stored = JSON.parse(bytes.toString('utf8')) as StoredDefinition;
    let model: ResolvedModel | undefined;
    const resolve = () => {
      model ??= this.#inference.resolve(stored.settings.model, stored.settings.modelProperties);
      if (model.dimensions !== stored.resolved.dimensions) {
        throw new PelorusError(
          'bad_request',
          `The model ${stored.settings.model} now has ${model.dimensions} dimensions, index ${name} was made for ${stored.resolved.dimensions}`,
        );
      }
      return model;
    };
    return { ...stored, name, model: resolve };
  }
}
