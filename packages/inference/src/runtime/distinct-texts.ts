/** The distinct texts in order of appearance; `rows[i]` is where text `i` is among them, null when all differ. */
export function distinctTexts(texts: readonly string[]): { distinct: string[]; rows: number[] | null } {
  const places = new Map<string, number>();
  const rows = texts.map((text) => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  });
  return { distinct: [...places.keys()], rows: places.size === texts.length ? null : rows };
}

/** Row `rows[i]` of `[distinct, dim]` for each `i`. */
export function spreadRows(vectors: Float32Array, rows: readonly number[], dim: number): Float32Array {
  const spread = new Float32Array(rows.length * dim);
  for (const [i, row] of rows.entries()) spread.set(vectors.subarray(row * dim, (row + 1) * dim), i * dim);
  return spread;
}
