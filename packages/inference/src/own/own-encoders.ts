import { PelorusError } from '@pelorus/contract';
import { type DevicePrecision, TokenEncoder, Tower } from '@pelorus/node';
import type { EncoderChoice, Precision } from '../config.js';
import { isCheckpoint, notRunnable } from '../folder/checkpoint.js';
import { GRAPH } from '../folder/layout.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { asPublished } from '../folder/open-clip-config.js';
import { reasonOf } from '../reason.js';
import { isFieldModelType } from '../registry/field-models.js';
import { isJoint } from '../registry/joint-model.js';
import { unusableModel } from '../registry/model-error.js';
import type {
  CrossEncoderModel,
  DetectorModel,
  LoadableModel,
  Modality,
  OwlModel,
  ResolvedModel,
} from '../resolved-model.js';
import type { Device } from '../runtime/device.js';
import { DeviceRefusal } from '../runtime/device-places.js';
import { type EncoderMachine, encoderMachine, reasonForOnnxRuntime } from './encoder-rule.js';

/** The graph of a tower that they may run. */
interface TowerGraph {
  readonly modality: Modality;
  readonly path: string;
  /** Shape of an input: the tokens of a text, or a picture's channels, rows and columns. */
  readonly shape: number[];
}

/** Weights that are loaded. */
interface Weights {
  readonly dimensions: number;
  readonly isNative: boolean;
  close(): void;
}

/**
 * The encoders of Pelorus itself, for the models whose graph they know and that `encoder-rule.ts` leaves to them, and always
 * for those that have weights and no graph, which nobody else could run.
 */
export class OwnEncoders {
  readonly #choice: EncoderChoice;
  readonly #machine: EncoderMachine;
  /** The numbers that they multiply in. */
  readonly precision: Precision;
  /** As `precision`, of the towers of joint models, of which there are no calibrations. */
  readonly towerPrecision: Precision;
  readonly #report: (message: string) => void;
  readonly #calibrationOf: (model: LoadableModel) => string;

  /**
   * @param report told of each model that is opened and that they do not run, and why; and of each that is not in f32, or
   *   not in the precision that was asked for
   * @param calibrationOf the file by which int8 of a model is scaled, whether it is there or not
   */
  constructor(
    choice: EncoderChoice = 'auto',
    precision: Precision = 'f32',
    report: (message: string) => void = () => undefined,
    calibrationOf: (model: LoadableModel) => string = () => '',
    machine = encoderMachine(),
  ) {
    this.#choice = choice;
    this.#machine = machine;
    this.precision = precision;
    this.towerPrecision = precision === 'int8' ? 'f32' : precision;
    this.#report = report;
    this.#calibrationOf = calibrationOf;
  }

  /** The same, which tell another of the models that are opened. */
  tellingTo(report: (message: string) => void): OwnEncoders {
    return new OwnEncoders(this.#choice, this.precision, report, this.#calibrationOf, this.#machine);
  }

  /** Tells whether they run a model of texts, unless they do not know its weights. */
  mayRun(model: LoadableModel, folder: ModelFolder): boolean {
    const graph = this.#graph(model, folder);
    return graph !== null && (isCheckpoint(graph) || this.#takes('text', this.precision));
  }

  /** Tells whether they run all of a model, as far as its files show. Loads no weights. */
  async has(
    loadable: ResolvedModel | CrossEncoderModel | DetectorModel | OwlModel,
    folder: ModelFolder,
  ): Promise<boolean> {
    const graph = this.#graph(loadable, folder);
    if (graph !== null) return this.mayRun(loadable, folder) && (await TokenEncoder.refusal(graph)) === null;
    if (loadable.type === 'detector' || loadable.type === 'owl' || loadable.type === 'cross_encoder') return false;
    const model = asPublished(loadable, folder.inputs);
    const graphs = this.#towers(model, folder).filter(({ modality }) => this.#takes(modality, this.towerPrecision));
    if (graphs.length < model.modalities.length) return false;
    const refusals = await Promise.all(graphs.map(({ path, shape }) => Tower.refusal(path, shape)));
    return refusals.every((refusal) => refusal === null);
  }

  /**
   * Loads the weights of a model of texts; null where ONNX Runtime has to run it.
   * @throws PelorusError `bad_request` where it is to run in int8 and has no calibration that can be used, and for weights
   *   without a graph that they do not run
   */
  async open(model: LoadableModel, folder: ModelFolder): Promise<TokenEncoder | null> {
    const graph = this.#graph(model, folder);
    if (graph === null || (!isCheckpoint(graph) && this.#leaves(model, 'text', this.precision, ''))) return null;
    const calibration = this.#calibrationOf(model);
    const open = () =>
      this.precision === 'int8'
        ? TokenEncoder.openInt8(graph, calibration).catch((error) =>
            Promise.reject(asCalibrated(error, model, calibration)),
          )
        : TokenEncoder.open(graph, this.precision);
    if (isCheckpoint(graph)) return this.#openedAlone(model, folder, open);
    return this.#opened(model, '', this.precision, open);
  }

  /**
   * Loads the weights of a model on a CUDA device, whichever program runs it on the CPU.
   * @param index the number of the device that the driver has
   * @param kernels the folder of compiled kernels
   * @throws DeviceRefusal where the CPU has to run it
   */
  async openOn(
    model: LoadableModel,
    folder: ModelFolder,
    { device, index, kernels }: { device: Device; index: number; kernels: string },
  ): Promise<{ weights: TokenEncoder; precision: DevicePrecision }> {
    const graph = isOfTexts(model) ? folder.graphs.text : undefined;
    if (graph === undefined) throw new DeviceRefusal(ONLY_TEXTS, false);
    const weights = await TokenEncoder.openOn(graph, index, kernels).catch((error) => {
      throw new DeviceRefusal(reasonOf(error), error?.code === 'service_unavailable');
    });
    const { dimensions, devicePrecision } = weights;
    if (dimensions === model.dimensions && devicePrecision !== null) {
      this.#report(`Model ${model.name} runs on ${device} in ${devicePrecision}.`);
      return { weights, precision: devicePrecision };
    }
    weights.close();
    throw new DeviceRefusal(wrongDimensions(dimensions, model), false);
  }

  /**
   * Loads the weights of those towers of a joint model that they run, by their kind of input; ONNX Runtime has to run the
   * others.
   * @param padId the id that fills texts up
   */
  async openTowers(model: ResolvedModel, folder: ModelFolder, padId: number): Promise<ReadonlyMap<Modality, Tower>> {
    const towers = new Map<Modality, Tower>();
    for (const { modality, path, shape } of this.#towers(model, folder)) {
      if (this.#leaves(model, modality, this.towerPrecision, ` for ${modality}`)) continue;
      const open = () => Tower.open(path, shape, modality === 'text' ? padId : 0, this.towerPrecision);
      const tower = await this.#opened(model, ` for ${modality}`, this.towerPrecision, open);
      if (tower !== null) towers.set(modality, tower);
    }
    return towers;
  }

  async #opened<T extends Weights>(
    model: LoadableModel,
    part: string,
    precision: Precision,
    open: () => Promise<T>,
  ): Promise<T | null> {
    try {
      return await this.#fitting(model, part, precision, open);
    } catch (error) {
      if (error instanceof PelorusError) throw error;
      this.#tellOther(model, part, reasonOf(error));
      return null;
    }
  }

  /** Weights that ONNX Runtime cannot run instead. */
  async #openedAlone<T extends Weights>(model: LoadableModel, folder: ModelFolder, open: () => Promise<T>): Promise<T> {
    try {
      return await this.#fitting(model, '', this.precision, open);
    } catch (error) {
      if (error instanceof PelorusError) throw error;
      const refusal = `its weights ${notRunnable(reasonOf(error))}`;
      const advice = `put ${GRAPH} beside them, as "pelorus models export" makes it`;
      throw unusableModel(`Model ${model.name} in ${folder.path} cannot be loaded: ${refusal}; ${advice}`, error);
    }
  }

  /** Loads weights, and refuses those of vectors that the model does not have. */
  async #fitting<T extends Weights>(
    model: LoadableModel,
    part: string,
    precision: Precision,
    open: () => Promise<T>,
  ): Promise<T> {
    const weights = await open();
    const { dimensions } = weights;
    if (dimensions === model.dimensions) {
      this.#tell(model, part, precision, weights);
      return weights;
    }
    weights.close();
    throw new Error(wrongDimensions(dimensions, model));
  }

  /** Tells whether they have inputs of a kind, where they know the graph. */
  #takes(modality: Modality, precision: Precision): boolean {
    return this.#reason(modality, precision) === null;
  }

  /** As `#takes`, the other way round; the operator who did not choose it is told why. */
  #leaves(model: LoadableModel, modality: Modality, precision: Precision, part: string): boolean {
    const reason = this.#reason(modality, precision);
    if (reason !== null && this.#choice !== 'onnxruntime') this.#tellOther(model, part, reason);
    return reason !== null;
  }

  #reason(modality: Modality, precision: Precision): string | null {
    return reasonForOnnxRuntime(this.#choice, modality, precision, this.#machine);
  }

  #tellOther({ name }: LoadableModel, part: string, reason: string): void {
    const verb = this.#machine.hasOnnxRuntime ? 'runs on' : 'needs';
    const precision = this.precision === 'f32' ? '' : ' in f32';
    this.#report(`Model ${name} ${verb} ONNX Runtime${precision}${part}: ${reason}.`);
  }

  /** Tells a precision that is not the default, or not the one that was asked for. */
  #tell({ name }: LoadableModel, part: string, precision: Precision, { isNative }: Weights): void {
    if (this.precision === 'f32') return;
    const slow = isNative ? '' : ', slower than in f32: this processor has no instructions for it';
    const other = precision === this.precision ? '' : `: ${this.precision} is for models of texts alone`;
    this.#report(`Model ${name} runs in ${precision}${part}${slow}${other}.`);
  }

  /** The graph, or the weights without one, of a model that takes texts alone, which they may run. */
  #graph(model: LoadableModel, folder: ModelFolder): string | null {
    return isOfTexts(model) ? (folder.graphs.text ?? null) : null;
  }

  /** The graphs of a joint model that they may run: those whose inputs have one shape. */
  #towers(model: ResolvedModel, { graphs }: ModelFolder): TowerGraph[] {
    if (!isJoint(model.type)) return [];
    return model.modalities.flatMap((modality) => {
      const shape = this.#shapeOf(model, modality);
      const path = graphs[modality];
      return shape === null || path === undefined ? [] : [{ modality, path, shape }];
    });
  }

  #shapeOf({ text, picture, tokens }: ResolvedModel, modality: Modality): number[] | null {
    if (modality === 'text') return text.isFixedLength ? [tokens] : null;
    if (modality !== 'image' || picture === null) return null;
    return [3, picture.size, picture.size];
  }
}

/** The reason for which a device refuses what has pictures, films or sounds. */
export const ONLY_TEXTS = 'devices run models of texts alone';

const isOfTexts = ({ type, modalities }: LoadableModel) =>
  type !== 'cross_encoder' && !isFieldModelType(type) && modalities.length === 1 && modalities[0] === 'text';

const wrongDimensions = (found: number, { dimensions }: LoadableModel) =>
  `its vectors have ${found} dimensions, its properties say ${dimensions}`;

/** Refuses a model whose calibration is at fault: in another precision it would run as nobody asked for. */
function asCalibrated(error: unknown, { name }: LoadableModel, calibration: string): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'bad_request')) return error;
  return unusableModel(
    `Model ${name} cannot run in int8: ${error.message} (${calibration}). Make one with \`pelorus models calibrate ${name}\`, or set --encoder-precision to f32 or bf16`,
    error,
  );
}
