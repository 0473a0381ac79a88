import { PelorusError } from '@pelorus/contract';
import {
  type EmbedOptions,
  type EncoderInput,
  type FieldVectors,
  type Inference,
  type QueryEmbeddings,
  type ResolvedModel,
  vectorKey,
} from '@pelorus/inference';

/** A query that waits for those beside it. */
interface Waiting {
  readonly model: ResolvedModel;
  readonly inputs: readonly EncoderInput[];
  readonly options: EmbedOptions;
  readonly resolve: (embeddings: QueryEmbeddings | Promise<QueryEmbeddings>) => void;
}

/** Embeds the texts of several queries in one call for each model, each with the vectors that it alone would have. */
export class GatheredQueries implements Pick<Inference, 'embedQuery' | 'fieldVectors'> {
  readonly #inference: Pick<Inference, 'embedQuery' | 'fieldVectors'>;
  readonly #groups = new Map<string, Waiting[]>();
  #isFlushed = false;

  constructor(inference: Pick<Inference, 'embedQuery' | 'fieldVectors'>) {
    this.#inference = inference;
  }

  /** As of the inference; what waits for others is asked for by `flush`, and what comes later at once. */
  embedQuery(model: ResolvedModel, inputs: readonly EncoderInput[], options: EmbedOptions): Promise<QueryEmbeddings> {
    // Media are fetched with headers of their own, and a model with somebody's credentials.
    const isShared = options.modelAuth == null && inputs.every(({ kind }) => kind === 'text');
    if (!isShared || this.#isFlushed) return this.#inference.embedQuery(model, inputs, options);
    return new Promise((resolve) => {
      const key = `${vectorKey(model)} ${options.normalize} ${options.device ?? ''}`;
      const group = this.#groups.get(key) ?? [];
      group.push({ model, inputs, options, resolve });
      this.#groups.set(key, group);
    });
  }

  /** As of the inference, at once: those that wait there together are computed together. */
  fieldVectors(...[model, texts, options]: Parameters<Inference['fieldVectors']>): Promise<FieldVectors[]> {
    return this.#inference.fieldVectors(model, texts, options);
  }

  /** Asks for all that waits. */
  flush(): void {
    this.#isFlushed = true;
    for (const group of this.#groups.values()) void this.#embed(group);
    this.#groups.clear();
  }

  async #embed(group: readonly Waiting[]): Promise<void> {
    const alone = ({ model, inputs, options }: Waiting) => this.#inference.embedQuery(model, inputs, options);
    const [first] = group;
    if (first === undefined) return;
    if (group.length === 1) return first.resolve(alone(first));
    const { model, options } = first;
    const inputs = group.flatMap((waiting) => waiting.inputs);
    try {
      const { vectors, failures } = await this.#inference.embedQuery(model, inputs, options);
      let start = 0;
      for (const { inputs, resolve } of group) {
        const end = start + inputs.length;
        const own = failures.filter(({ row }) => row >= start && row < end);
        resolve({
          vectors: vectors.slice(start * model.dimensions, end * model.dimensions),
          failures: own.map((failure) => ({ ...failure, row: failure.row - start })),
          media: [],
        });
        start = end;
      }
    } catch (error) {
      // Each fails, or not, by itself; but a model that is away is so for all of them, and was asked often enough.
      const isAway = error instanceof PelorusError && error.code === 'service_unavailable';
      for (const waiting of group) waiting.resolve(isAway ? Promise.reject(error) : alone(waiting));
    }
  }
}
