import type { StorageEngine, StoredDefinition } from '@pelorus/engine';
import { type FieldModel, type Inference, type ResolvedModel, unusableModel } from '@pelorus/inference';

/** An index as handlers see it. */
export interface IndexDefinition extends StoredDefinition {
  readonly name: string;
  /** The model to embed with. */
  readonly model: () => ResolvedModel;
  /** The model that makes the vectors of a field; null for a field that has none. */
  readonly fieldModel: (field: string) => FieldModel | null;
}

/** Derived definitions, each kept as long as the engine keeps its own. */
export class Definitions {
  readonly #engine: StorageEngine;
  readonly #inference: Inference;
  readonly #derived = new WeakMap<StoredDefinition, IndexDefinition>();
  /** By the promises of the engine, which answers with the same one as long as a definition counts. */
  readonly #known = new WeakMap<Promise<StoredDefinition>, IndexDefinition>();

  constructor(engine: StorageEngine, inference: Inference) {
    this.#engine = engine;
    this.#inference = inference;
  }

  /**
   * The definition of an index, at once where it is known.
   * @throws EngineError `index_not_found`
   */
  get(name: string): IndexDefinition | Promise<IndexDefinition> {
    const asked = this.#engine.definition(name);
    return this.#known.get(asked) ?? this.#read(name, asked);
  }

  async #read(name: string, asked: Promise<StoredDefinition>): Promise<IndexDefinition> {
    const stored = await asked;
    let definition = this.#derived.get(stored);
    if (definition === undefined) {
      definition = this.#derive(name, stored);
      this.#derived.set(stored, definition);
    }
    this.#known.set(asked, definition);
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
    const fieldModels = new Map<string, FieldModel>();
    const fieldModel = (field: string) => {
      const { fieldModels: declared } = stored.settings;
      if (declared === undefined || !Object.hasOwn(declared, field)) return null;
      const { model, modelProperties } = declared[field] as { model: string; modelProperties?: object };
      const known = fieldModels.get(field) ?? this.#inference.resolveField(model, modelProperties);
      fieldModels.set(field, known);
      return known;
    };
    return { ...stored, name, model: resolve, fieldModel };
  }
}
