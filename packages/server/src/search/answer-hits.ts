/** A hit as the engine wrote it. */
export interface Hit {
  readonly [field: string]: unknown;
  readonly _highlights?: unknown;
  readonly _lexicalHighlights?: unknown;
}

/** The part of `JSON` that the types of the language do not know yet: numbers as they are written. */
const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => unknown };

/** The engine's answer, whose numbers are written again as they were. */
export function readAnswer(answer: Buffer): { readonly hits: readonly Hit[] } {
  const keep = (_: string, value: unknown, { source }: { readonly source?: string } = {}) =>
    typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
  return JSON.parse(answer.toString('utf8'), keep);
}
