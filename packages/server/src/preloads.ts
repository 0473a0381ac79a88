/** A model to load before anyone asks for it. */
export interface Preload {
  readonly model: string;
  /** Its own properties, where the name alone does not say what it is. */
  readonly modelProperties?: object;
}

/** Reads a JSON array of model names and of `{"model", "modelProperties"}`; undefined for anything else. */
export function parsePreloads(text: string): Preload[] | undefined {
  if (text === '') return [];
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(items)) return undefined;
  const preloads = items.map(preloadOf);
  return preloads.every((one) => one !== undefined) ? preloads : undefined;
}

function preloadOf(item: unknown): Preload | undefined {
  if (typeof item === 'string') return { model: item };
  const { model, modelProperties } = (item ?? {}) as Record<string, unknown>;
  const hasBoth = typeof model === 'string' && typeof modelProperties === 'object' && modelProperties !== null;
  return hasBoth ? { model, modelProperties } : undefined;
}
