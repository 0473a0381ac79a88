import { TokenEncoder } from '@pelorus/node';
import type { EncoderChoice, Precision } from '../config.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { reasonOf } from '../reason.js';
import type { LoadableModel } from '../resolved-model.js';

/** The encoders of Pelorus itself, and the rule for the models that they run: where asked to, all whose graph they know. */
export class OwnEncoders {
  readonly #choice: EncoderChoice;
  /** The numbers that they multiply in. */
  readonly precision: Precision;
  readonly #report: (message: string) => void;

  /** @param report told of each model that is opened and that they do not run, and why; and of each that is not in f32 */
  constructor(
    choice: EncoderChoice = 'onnxruntime',
    precision: Precision = 'f32',
    report: (message: string) => void = () => undefined,
  ) {
    this.#choice = choice;
    this.precision = precision;
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
      const encoder = await TokenEncoder.open(graph, this.precision);
      if (encoder.dimensions === model.dimensions) {
        this.#tell(model, encoder);
        return encoder;
      }
      encoder.close();
      throw new Error(`its vectors have ${encoder.dimensions} dimensions, its properties say ${model.dimensions}`);
    } catch (error) {
      const precision = this.precision === 'f32' ? '' : ' in f32';
      this.#report(`Model ${model.name} runs on ONNX Runtime${precision}: ${reasonOf(error)}.`);
      return null;
    }
  }

  /** Tells a precision that is not the default. */
  #tell({ name }: LoadableModel, { isNative }: TokenEncoder): void {
    if (this.precision === 'f32') return;
    const price = isNative ? '' : ', slower than in f32: this processor has no instructions for it';
    this.#report(`Model ${name} runs in ${this.precision}${price}.`);
  }

  /** The graph that they may run: one that takes texts alone. */
  #graph({ modalities }: LoadableModel, folder: ModelFolder): string | null {
    const isOfTexts = modalities.length === 1 && modalities[0] === 'text';
    return this.#choice === 'auto' && isOfTexts ? (folder.graphs.text ?? null) : null;
  }
}
