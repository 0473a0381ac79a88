/** The index that a page is about before anybody has chosen: the last one, if it is still there, or the only one. */
export function firstIndex(names: readonly string[], last: string | undefined): string | undefined {
  if (last !== undefined && names.includes(last)) return last;
  return names.length === 1 ? names[0] : undefined;
}
