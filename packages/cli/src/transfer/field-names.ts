import { fieldNameProblem } from '@pelorus/contract';

/** Longest name of a field, in characters. */
const LENGTH_MAX = 255;
/** Members that are no fields. */
const MEMBERS = ['_id', '_tensors'];
/** Names of columns that a message shows. */
const SHOWN_MAX = 20;

/** Names under which the members of documents of other origin become fields. */
export class FieldNames {
  readonly #names = new Map<string, string>();
  readonly #known: ReadonlySet<string>;
  readonly #taken: Set<string>;
  /** Maps of which there are entries. */
  readonly #maps = new Set<string>();

  /** @param known names of which those that can name a field stay as they are */
  constructor(known: Iterable<string>) {
    this.#known = new Set([...known].filter(isFieldName));
    this.#taken = new Set(this.#known);
  }

  /** The name of the field; one that is not known yet may be that of an entry of a map of numbers, such as `sizes.l`. */
  of(name: string, value: unknown): string {
    const found = this.#names.get(name);
    if (found !== undefined) return found;
    const field = this.#fieldOf(name, value);
    this.#names.set(name, field);
    return field;
  }

  /** Tells which names were changed; undefined where none was. */
  get note(): string | undefined {
    const changed = [...this.#names].filter(([name, field]) => name !== field);
    if (changed.length === 0) return undefined;
    const shown = changed.slice(0, SHOWN_MAX).map(([name, field]) => `${JSON.stringify(name)} as ${field}`);
    const more = changed.length > SHOWN_MAX ? `, and ${changed.length - SHOWN_MAX} more` : '';
    return `fields are called otherwise: ${shown.join(', ')}${more}`;
  }

  #fieldOf(name: string, value: unknown): string {
    if (MEMBERS.includes(name) || this.#known.has(name)) return name;
    if (isFieldName(name)) return this.#free(name);
    const map = name.replace(/\..*/s, '');
    const isEntry = typeof value === 'number' && /^[^.]+\../.test(name) && isFieldName(map);
    // A field that has the name already would have the map in its place.
    if (!isEntry || (this.#taken.has(map) && !this.#maps.has(map))) return this.#free(fieldNameOf(name));
    this.#maps.add(map);
    this.#taken.add(map);
    return name;
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}_${number}`;
    this.#taken.add(name);
    return name;
  }
}

function isFieldName(name: string): boolean {
  return name.length <= LENGTH_MAX && fieldNameProblem(name) === undefined;
}

/** Letters without their accents, and one underscore for all between that no name can have. */
function fieldNameOf(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = letters.replace(/[^a-zA-Z0-9_]+/g, '_').replace(/^_+(?=.)|_+$/g, '') || 'field';
  const bare = words.slice(0, LENGTH_MAX - 'field_'.length);
  return fieldNameProblem(bare) === undefined ? bare : `field_${bare}`;
}
