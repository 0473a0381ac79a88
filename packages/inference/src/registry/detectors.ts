import type { PatchDetector } from '@pelorus/node';
import { DETECTIONS_LENGTH } from '../detection-rows.js';
import type { ModelFile } from '../model-entries.js';
import type { DetectorModel, TowerExport, Weights } from '../resolved-model.js';
import { canonicalHash } from './model-key.js';

/** Share of the model memory budget, whatever their files take. */
const SIZE = 0.66;

/** The places of ready-made graphs; none is known of the others. */
const EXPORTS: Readonly<Record<PatchDetector, readonly TowerExport[]>> = {
  frcnn: [],
  'marqo-yolo': [
    {
      graphs: { image: [{ from: 'hub', repo: 'Marqo/marqo-yolo-v2', file: 'yolox_s.onnx' }] },
      tokenizer: null,
      unitLength: false,
    },
  ],
  'dino-v1': [],
  'dino-v2': [],
};

/** The names under which operators see them in the list of loaded models: the two of one network share a name. */
const LISTED: Readonly<Record<PatchDetector, string>> = {
  frcnn: 'faster_rcnn',
  'marqo-yolo': 'yolox_s.onnx',
  'dino-v1': 'vit_small',
  'dino-v2': 'vit_small',
};

const PREFIX = 'detector/';

/** Names of the graphs that patch methods ask, such as `detector/marqo-yolo`. The operator's file may give each a folder. */
export const DETECTOR_NAMES: readonly string[] = Object.keys(EXPORTS).map((method) => PREFIX + method);

/** The graph that a patch method asks. */
export function detectorModel(detector: PatchDetector, file?: ModelFile): DetectorModel {
  const name = PREFIX + detector;
  const folder = file?.get(name)?.folder;
  const weights: Weights =
    folder === undefined
      ? { kind: 'towers', repo: detector, exports: EXPORTS[detector] }
      : { kind: 'folder', path: folder };
  const key = canonicalHash({ name });
  return {
    name,
    listedName: LISTED[detector],
    key,
    type: 'detector',
    detector,
    dimensions: DETECTIONS_LENGTH,
    modalities: ['image'],
    size: SIZE,
    weights,
  };
}

/** The graph of that name, null for the name of anything else. */
export function detectorNamed(name: string, file?: ModelFile): DetectorModel | null {
  return DETECTOR_NAMES.includes(name) ? detectorModel(name.slice(PREFIX.length) as PatchDetector, file) : null;
}
