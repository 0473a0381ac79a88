/** The way of a document from its place in one ranking to that in another. */
export type Move =
  | { readonly kind: 'new' }
  | { readonly kind: 'same' }
  | { readonly kind: 'up' | 'down'; readonly by: number; readonly from: number };

/**
 * @param place of the document in its ranking, from 1
 * @param other the ids of the other ranking
 */
export function moveOf(id: string, place: number, other: readonly string[]): Move {
  const from = other.indexOf(id) + 1;
  if (from === 0) return { kind: 'new' };
  if (from === place) return { kind: 'same' };
  return { kind: from > place ? 'up' : 'down', by: Math.abs(from - place), from };
}
