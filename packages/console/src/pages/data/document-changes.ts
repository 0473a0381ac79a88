type Document = Readonly<Record<string, unknown>>;

/** The change that an edited document asks for. */
export type Change =
  /** Fields alone change, none of them with vectors. */
  | { readonly kind: 'update'; readonly changes: Document & { readonly _id: string } }
  /** A text with vectors changes: the document is stored anew, and its vectors are made anew. */
  | { readonly kind: 'replace'; readonly document: Document; readonly tensorFields: readonly string[] }
  | { readonly kind: 'none' }
  /** A field with vectors that are not of a text alone changes: only whoever made them can say how. */
  | { readonly kind: 'refused'; readonly field: string };

/**
 * The change from a stored document to an edited one.
 *
 * @param tensorFields the fields that have vectors
 */
export function changeOf(
  stored: Document & { readonly _id: string },
  edited: Document,
  tensorFields: readonly string[],
): Change {
  const names = [...new Set([...Object.keys(stored), ...Object.keys(edited)])].filter((name) => !name.startsWith('_'));
  const changed = names.filter((name) => !isSame(stored[name], edited[name]));
  if (changed.length === 0) return { kind: 'none' };
  if (!changed.some((name) => tensorFields.includes(name))) {
    const changes = Object.fromEntries(changed.map((name) => [name, edited[name] ?? null]));
    return { kind: 'update', changes: { ...changes, _id: stored._id } };
  }
  const other = tensorFields.find((name) => typeof stored[name] !== 'string');
  if (other !== undefined) return { kind: 'refused', field: other };
  const fields = Object.fromEntries(
    Object.entries(edited).filter(([name, value]) => !name.startsWith('_') && value !== null),
  );
  return { kind: 'replace', document: { ...fields, _id: stored._id }, tensorFields };
}

/** Tells whether two values of JSON are the same, whatever the order of their members. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return (a ?? null) === (b ?? null);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => name in b && isSame((a as Document)[name], (b as Document)[name]));
}
