import type { Precision } from '../config.js';
import type { ModelFolder } from '../folder/model-folder.js';
import type {
  CrossEncoderModel,
  DetectorModel,
  FieldModel,
  Modality,
  OwlModel,
  ResolvedModel,
} from '../resolved-model.js';
import type { Device } from '../runtime/device.js';
import { numbersOfText } from '../runtime/field-vectors.js';
import type { OnnxSpec } from './onnx-session.js';

/** Frames, height and width of a film, and mel bands and steps of a sound, as LanguageBind takes them. */
const VIDEO_SHAPE = [3, 8, 224, 224];
const AUDIO_SHAPE = [3, 112, 1036];

let nextSession = 0;

/** The session of an owl. */
export function owlSession({ dimensions, side }: OwlModel, folder: ModelFolder, device: Device): OnnxSpec {
  return { id: nextSession++, device, dimensions, graph: folder.graphs.text ?? '', use: { medium: 'owl', side } };
}

/** The session of a cross-encoder. */
export function pairSession(
  { dimensions }: CrossEncoderModel,
  folder: ModelFolder,
  device: Device,
  tokens: { readonly padId: number; readonly separator: number | null },
): OnnxSpec {
  return { id: nextSession++, device, dimensions, graph: folder.graphs.text ?? '', use: { medium: 'pair', ...tokens } };
}

/** The session of a model of a field. */
export function tokenSession(
  model: FieldModel,
  folder: ModelFolder,
  device: Device,
  { padId, unseenId }: { readonly padId: number; readonly unseenId: number | null },
): OnnxSpec {
  const { type: of, dimensions: width } = model;
  const use = { medium: 'tokens', of, width, padId, unseenId } as const;
  return { id: nextSession++, device, dimensions: numbersOfText(model), graph: folder.graphs.text ?? '', use };
}

/** The session of a detector. */
export function detectorSession(
  { dimensions, detector }: DetectorModel,
  folder: ModelFolder,
  device: Device,
): OnnxSpec {
  const graph = folder.graphs.image ?? '';
  return { id: nextSession++, device, dimensions, graph, use: { medium: 'detector', detector } };
}

/**
 * The sessions of a model, one for each of its graphs, by their kind of input.
 * @param own the precisions of those that an encoder of our own runs
 */
export function towers(
  model: ResolvedModel,
  folder: ModelFolder,
  device: Device,
  padId: number,
  own: ReadonlyMap<Modality, Precision>,
): ReadonlyMap<Modality, OnnxSpec> {
  const specs = model.modalities.map((modality): [Modality, OnnxSpec] => [
    modality,
    {
      id: nextSession++,
      device,
      own: own.get(modality),
      dimensions: model.dimensions,
      fixedLength: modality === 'text' && model.text.isFixedLength ? model.tokens : undefined,
      graph: folder.graphs[modality] ?? '',
      use: modality === 'text' ? textUse(model, folder, padId) : { medium: modality, shape: shapeOf(model, modality) },
    },
  ]);
  return new Map(specs);
}

function textUse(model: ResolvedModel, folder: ModelFolder, padId: number) {
  return {
    medium: 'text' as const,
    pooling: model.pooling ?? folder.pooling ?? ('mean' as const),
    truncates: model.type === 'test',
    padId,
    isTower: model.modalities.length > 1,
  };
}

function shapeOf({ picture }: ResolvedModel, medium: Modality): readonly number[] {
  if (medium === 'image') return [3, picture?.size ?? 0, picture?.size ?? 0];
  return medium === 'video' ? VIDEO_SHAPE : AUDIO_SHAPE;
}
