/** The index that a page is about before anybody has chosen: the first of the last ones that is still there, or the only one. */
export function firstIndex(names: readonly string[], last: readonly (string | undefined)[]): string | undefined {
  const kept = last.find((one) => one !== undefined && names.includes(one));
  return kept ?? (names.length === 1 ? names[0] : undefined);
}
