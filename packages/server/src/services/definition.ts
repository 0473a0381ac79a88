import type { StorageEngine, StoredDefinition } from '@pelorus/engine';
import { type Inference, type ResolvedModel, unusableModel } from '@pelorus/inference';

/** An index as handlers see it. */
export interface IndexDefinition extends StoredDefinition {
  readonly name: string;
  /** The model to embed with. */
  readonly model: () => ResolvedModel;
}

/** Derived definitions, each kept as long as the engine keeps its own. */
export class Definitions {
  readonly #engine: StorageEngine;
  readonly #inference: Inference;
  readonly #derived = new WeakMap<StoredDefinition, IndexDefinition>();

  constructor(engine: StorageEngine, inference: Inference) {
    this.#engine = engine;
    this.#inference = inference;
  }

  /** @throws EngineError `index_not_found` */
  async get(name: string): Promise<IndexDefinition> {
    const stored = await this.#engine.definition(name);
    let definition = this.#derived.get(stored);
    if (definition === undefined) {
      definition = this.#derive(name, stored);
      this.#derived.set(stored, definition);
    }
    return definition;
  }

  #derive(name: string, stored: StoredDefinition): IndexDefinition {
    let model: ResolvedModel | undefined;
    const resolve = () => {
      model ??= this.#inference.resolve(stored.settings.model, stored.settings.modelProperties);
      if (model.dimensions !== stored.resolved.dimensions) {
        throw unusableModel(
          `The model ${stored.settings.model} now has ${model.dimensions} dimensions, index ${name} was made for ${stored.resolved.dimensions}`,
        );
      }
      return model;
    };
    return { ...stored, name, model: resolve };
  }
}
