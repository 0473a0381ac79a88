import type { Pooling } from '../resolved-model.js';

/** The pooling and normalisation of the publisher's own pipeline, as far as it says. */
export interface PublisherPipeline {
  readonly pooling?: Pooling;
  /** Absent where it is not known. */
  readonly unitLength?: boolean;
}

/** Files of a repository of sentence-transformers that say so. */
export const PIPELINE_FILES = { pooling: '1_Pooling/config.json', modules: 'modules.json' } as const;

/**
 * Reads what these files hold, null for one that is not there and undefined for one that could not be asked for. It says
 * the same whoever asks: one folder serves every type of model that its repository is used as.
 */
export function publisherPipeline({
  pooling: config,
  modules,
}: Readonly<Record<keyof typeof PIPELINE_FILES, unknown>>): PublisherPipeline {
  const pooling = poolingOf(config);
  const unitLength = Array.isArray(modules) && modules.some((module) => String(module?.type).endsWith('.Normalize'));
  return { ...(pooling !== null && { pooling }), ...(modules !== undefined && { unitLength }) };
}

/** By its name, or by a flag for each way to pool, as older versions wrote it. */
function poolingOf(config: unknown): Pooling | null {
  if (typeof config !== 'object' || config === null) return null;
  const {
    pooling_mode: mode,
    pooling_mode_cls_token: cls,
    pooling_mode_mean_tokens: mean,
  } = config as Record<string, unknown>;
  if (cls === true || mode === 'cls') return 'cls';
  return mean === true || mode === 'mean' ? 'mean' : null;
}
