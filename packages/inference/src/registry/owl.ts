import type { ModelFile } from '../model-entries.js';
import { LOCATION_LENGTH } from '../owl-input.js';
import type { OwlModel, Weights } from '../resolved-model.js';
import { canonicalHash } from './model-key.js';

/** Share of the model memory budget, whatever their files take. */
const SIZE = 0.66;

interface Owl {
  /** Its name on the hub. */
  readonly source: string;
  /** Pixels of each edge of its pictures. */
  readonly side: number;
}

const OWLS: Readonly<Record<string, Owl>> = {
  'owl/ViT-B/32': { source: 'google/owlvit-base-patch32', side: 768 },
  'owl/ViT-B/16': { source: 'google/owlvit-base-patch16', side: 768 },
  'owl/ViT-L/14': { source: 'google/owlvit-large-patch14', side: 840 },
};

/** Names that `reRanker` may have, but for those of the hub. The operator's file may give each a folder. */
export const OWL_NAMES: readonly string[] = Object.keys(OWLS);

/** The model of a name of its own or of the hub; null for any other name. */
export function owlModel(given: string, file?: ModelFile): OwlModel | null {
  const found = Object.entries(OWLS).find(([name, { source }]) => given === name || given === source);
  if (found === undefined) return null;
  const [name, { source, side }] = found;
  const repo = source.replace('google/', 'Xenova/');
  const hub = (path: string) => ({ from: 'hub', repo, file: path }) as const;
  const folder = file?.get(name)?.folder;
  const weights: Weights =
    folder === undefined
      ? {
          kind: 'towers',
          repo: source,
          exports: [
            { graphs: { text: [hub('onnx/model.onnx')] }, tokenizer: hub('tokenizer.json'), unitLength: false },
          ],
        }
      : { kind: 'folder', path: folder };
  return {
    name,
    listedName: source,
    key: canonicalHash({ name }),
    type: 'owl',
    side,
    dimensions: LOCATION_LENGTH,
    // One graph for both: it lies where that of a text model does, beside its tokenizer.
    modalities: ['text'],
    size: SIZE,
    weights,
  };
}
