import { TokenEncoder } from '@pelorus/node';
import type { EncoderChoice } from '../config.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { reasonOf } from '../reason.js';
import type { LoadableModel } from '../resolved-model.js';

/** The encoders of Pelorus itself, and the rule for the models that they run: where asked to, all whose graph they know. */
export class OwnEncoders {
  readonly #choice: EncoderChoice;
  readonly #report: (message: string) => void;

  /** @param report told of each model that is opened and that they do not run, and why */
  constructor(choice: EncoderChoice = 'onnxruntime', report: (message: string) => void = () => undefined) {
    this.#choice = choice;
    this.#report = report;
  }

  /** Tells whether they run a model, as far as its graph shows. Loads no weights. */
  async has(model: LoadableModel, folder: ModelFolder): Promise<boolean> {
    const graph = this.#graph(model, folder);
    return graph !== null && (await TokenEncoder.refusal(graph)) === null;
  }

  /** Loads the weights of a model; null where ONNX Runtime has to run it. */
  async open(model: LoadableModel, folder: ModelFolder): Promise<TokenEncoder | null> {
    const graph = this.#graph(model, folder);
    if (graph === null) return null;
    try {
      const encoder = await TokenEncoder.open(graph);
      if (encoder.dimensions === model.dimensions) return encoder;
      encoder.close();
      throw new Error(`its vectors have ${encoder.dimensions} dimensions, its properties say ${model.dimensions}`);
    } catch (error) {
      this.#report(`Model ${model.name} runs on ONNX Runtime: ${reasonOf(error)}.`);
      return null;
    }
  }

  /** The graph that they may run: one that takes texts alone. */
  #graph({ modalities }: LoadableModel, folder: ModelFolder): string | null {
    const isOfTexts = modalities.length === 1 && modalities[0] === 'text';
    return this.#choice === 'auto' && isOfTexts ? (folder.graphs.text ?? null) : null;
  }
}
