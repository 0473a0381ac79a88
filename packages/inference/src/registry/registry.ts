import type { PicturePreset, TextPreset } from '../presets.js';
import type { Modality, ModelType, PicturePreprocessing, Pooling } from '../resolved-model.js';
import models from './generated/models.json' with { type: 'json' };

/** A ready-made ONNX export: files of a hub repository by what they are for. */
export interface OnnxExport {
  readonly repo: string;
  /** `model` for a text encoder; `text`, `image` and `tokenizer` for a joint model. */
  readonly files: Readonly<Record<string, string>>;
  /** The graph itself ends in a normalisation. */
  readonly unitLength?: boolean;
}

/** The registry's entry for a name. */
export interface RegistryEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly type: ModelType;
  /** Upstream name, when it differs from the registry's. */
  readonly source?: string;
  readonly dimensions?: number;
  readonly tokens?: number;
  readonly textQueryPrefix?: string;
  readonly textChunkPrefix?: string;
  readonly pooling?: Pooling;
  readonly unitLength?: boolean;
  /** Text alone when absent. */
  readonly modalities?: readonly Modality[];
  /** The preparation of pictures: as the preset says, but for members that stand beside it. */
  readonly picture?: Partial<PicturePreprocessing> & { readonly preset: PicturePreset };
  /** The tokenizer of a joint model; in `repo` where the family does not share one. */
  readonly tokenizer?: { readonly kind: TextPreset; readonly repo?: string; readonly contextLength: number };
  readonly size: number;
  /** By preference. Absent: no export is known, and the operator has to supply one. */
  readonly onnx?: readonly OnnxExport[];
}

const byName = new Map<string, RegistryEntry>();
for (const entry of models as unknown as RegistryEntry[]) {
  for (const name of [entry.name, ...(entry.aliases ?? [])]) byName.set(name, entry);
}

/** The registry's entry for a name or an alias. */
export function registryEntry(name: string): RegistryEntry | undefined {
  return byName.get(name);
}

/** The first entry for an architecture of OpenCLIP, whatever it was trained on. */
export function architectureEntry(architecture: string): RegistryEntry | undefined {
  return (models as unknown as RegistryEntry[]).find(({ name }) => name.startsWith(`open_clip/${architecture}/`));
}

/** Every name and alias the registry knows. */
export function registryNames(): string[] {
  return [...byName.keys()];
}
