/** The share of the true neighbors that were found. */
export function recall(found: readonly (readonly number[])[], truth: readonly ArrayLike<number>[]): number {
  let hits = 0;
  let wanted = 0;
  truth.forEach((ids, query) => {
    const expected = new Set(Array.from(ids));
    wanted += expected.size;
    for (const id of new Set(found[query] ?? [])) if (expected.has(id)) hits += 1;
  });
  return hits / wanted;
}
