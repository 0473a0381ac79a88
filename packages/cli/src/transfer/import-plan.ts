import { ExitCode } from '../start-failure.js';
import { type DocumentRules, isTooDeep, readItem } from './document-rules.js';
import { FieldNames } from './field-names.js';
import type { ImportOptions } from './import-options.js';
import type { ImportTarget } from './import-target.js';
import { checkColumns } from './named-columns.js';
import { flattened, isNested } from './nested-values.js';
import type { Sampled } from './sample.js';
import type { Item } from './source.js';
import { guessTensorFields } from './tensor-fields.js';
import { nameOf, TransferFailure } from './transfer-failure.js';
import { isStorable, type Unstorable } from './unstorable.js';

/** The way in which the items of a file become documents. */
export interface ImportPlan {
  readonly rules: DocumentRules;
  /** Fields to embed of documents that bring no vectors; undefined to name none. */
  readonly tensorFields: readonly string[] | undefined;
  /** Their mappings, as JSON. */
  readonly mappings: string | undefined;
  /** The sentences that tell what nobody asked for. */
  readonly notes: readonly string[];
}

/** Characters of a value that may be an id. */
const ID_LENGTH_MAX = 64;
/** Names of fields that hold ids, by their last word. */
const ID_NAME = /(?:^|[^a-z])(?:_?ids?|keys?|skus?|codes?|isbn|ean|gtin|uuid|guid|asin|slug|handle|no|nr|number)$/i;
const ID_NAME_IN_CAMEL_CASE = /[a-z]I[dD]$/;

/**
 * Plans an import by the first items of its file.
 * @param chosen the fields to embed that an earlier part of the same import chose
 * @throws TransferFailure for a flag that names what the file does not have
 */
export async function planImport(
  { items, isWhole, source }: Sampled,
  options: ImportOptions,
  target: ImportTarget,
  chosen: readonly string[] | undefined,
): Promise<ImportPlan> {
  const { idField, nulls, omittedFields, tensorFields, mappings } = options;
  const omitted = new Set(omittedFields);
  const own = source.vectors === undefined ? [] : [source.vectors.field];
  const values = {
    unstorable: target.isStructured || source.header !== undefined ? 'refuse' : options.unstorable,
    kept: new Set(['_tensors', ...own, ...Object.keys(JSON.parse(mappings ?? '{}') as object)]),
  } as const;
  if (source.header !== undefined) {
    if (idField !== undefined) throw wrong(`--id-field is for files of other origin: an export has its own ids`);
    return {
      rules: { ...values, idField, makesIds: false, nulls, omitted, names: undefined, texts: new Set() },
      tensorFields,
      mappings,
      notes: [],
    };
  }
  const objects = items.flatMap(({ text, problem }) => (problem === undefined ? objectIn(text) : []));
  const known = new Set(source.names ?? objects.flatMap(Object.keys));
  if (source.names !== undefined || isWhole) {
    checkColumns(options.file, [...known], {
      '--id-field': idField === undefined ? [] : [idField],
      '--omit-fields': omittedFields,
    });
  }
  if (values.unstorable === 'flatten') {
    for (const name of nestedNames(objects, new Set([...values.kept, ...omitted]))) known.add(name);
  }
  const names = new FieldNames(known);
  for (const name of known) if (!omitted.has(name)) names.of(name, firstOf(objects, name));
  const hasIds = idField !== undefined || objects.some((object) => object._id !== undefined && object._id !== null);
  const mixed = mixedFields(objects, omitted);
  const texts = new Set(mixed);
  const makesIds = objects.length > 0 && !hasIds;
  const rules: DocumentRules = { ...values, idField, makesIds, nulls, omitted, names, texts };
  const unfit = target.isStructured ? undefined : unfitNote(objects, rules, options.unstorable);
  const notes = [names.note, unfit, rules.makesIds ? madeIdsNote(objects) : undefined, mixedNote(mixed)];
  if (source.vectors !== undefined) {
    if (tensorFields !== undefined)
      throw wrong('--tensor-fields is for documents without vectors: --model embeds anew');
    const field = names.of(source.vectors.field, undefined);
    const { dimensions, spaceType } = source.vectors;
    notes.push(`vectors of ${dimensions} dimensions and the metric ${spaceType} become the field ${field}`);
    const custom = JSON.stringify({ [field]: { type: 'custom_vector' } });
    return { rules, tensorFields: [field], mappings: custom, notes: present(notes) };
  }
  // Columns are named as in the file, and fields as they are stored.
  const named = tensorFields?.map((name) => (known.has(name) ? names.of(name, undefined) : name)) ?? chosen;
  const guessed = named ?? (target.isStructured ? [] : guessTensorFields(samplesOf(items, rules)));
  if (named === undefined && guessed.length > 0) {
    if (!(await target.embeds())) {
      notes.push('no field is embedded, as none of the index is: --tensor-fields names fields to embed');
      return { rules, tensorFields: undefined, mappings, notes: present(notes) };
    }
    notes.push(`fields to embed: ${guessed.join(', ')}, by their texts (--tensor-fields names others, '' none)`);
  }
  for (const name of known) if (guessed.includes(names.of(name, undefined))) texts.add(name);
  return { rules, tensorFields: named ?? (guessed.length > 0 ? guessed : undefined), mappings, notes: present(notes) };
}

/** The documents of some items, but for those that bring their vectors. */
function samplesOf(items: readonly Item[], rules: DocumentRules): Members[] {
  const read = items.map((item) => readItem(item, rules));
  return read.flatMap((one) => ('message' in one || one.given ? [] : objectIn(one.text)));
}

/** Members that are texts in some objects and numbers or truth values in others. */
function mixedFields(objects: readonly Members[], omitted: ReadonlySet<string>): string[] {
  const kinds = new Map<string, Set<string>>();
  for (const object of objects) {
    for (const [name, value] of Object.entries(object))
      kinds.set(name, (kinds.get(name) ?? new Set()).add(typeof value));
  }
  const isMixed = (found: Set<string>) => found.has('string') && (found.has('number') || found.has('boolean'));
  return [...kinds]
    .filter(([name, found]) => isMixed(found) && name !== '_id' && !omitted.has(name))
    .map(([name]) => name);
}

/** The names of members that nested values become. */
function nestedNames(objects: readonly Members[], kept: ReadonlySet<string>): Set<string> {
  const readable = objects.filter((object) => !('_tensors' in object) && !isTooDeep(object));
  const own = new Set(readable.flatMap((object) => Object.keys(object)));
  const names = readable.flatMap((object) => flattened(object, kept).map(([name]) => name));
  return new Set(names.filter((name) => !own.has(name)));
}

/** Says which members hold values that no field does, and what becomes of them. */
function unfitNote(objects: readonly Members[], { omitted, kept }: DocumentRules, unstorable: Unstorable) {
  const isOne = unstorable === 'flatten' ? isNested : (value: unknown) => !isStorable(value);
  const isUnfit = ([name, value]: [string, unknown]) => !omitted.has(name) && !kept.has(name) && isOne(value);
  const unfit = objects
    .filter((object) => !('_tensors' in object))
    .flatMap((one) => Object.entries(one).filter(isUnfit));
  const found = [...new Set(unfit.map(([name]) => name))].join(', ');
  const fates = {
    flatten: `nested values become fields of their own, and lists lists of texts: ${found}`,
    refuse: `no field holds all values of ${found}: --unstorable flatten makes fields and lists of texts of them, --unstorable json keeps them as texts, --unstorable drop leaves them out`,
    json: `texts of JSON, as no field holds all values: ${found}`,
    drop: `left out where no field holds the value: ${found}`,
  };
  return found === '' ? undefined : fates[unstorable];
}

function mixedNote(mixed: readonly string[]): string | undefined {
  return mixed.length === 0 ? undefined : `texts everywhere, as they are in some places: ${mixed.join(', ')}`;
}

function present(notes: readonly (string | undefined)[]): string[] {
  return notes.filter((note) => note !== undefined);
}

type Members = Record<string, unknown>;

function objectIn(text: string): Members[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? [value as Members] : [];
  } catch {
    return [];
  }
}

function firstOf(objects: readonly Members[], name: string): unknown {
  return objects.find((object) => object[name] !== undefined && object[name] !== null)?.[name];
}

function madeIdsNote(objects: readonly Members[]): string {
  const candidate = Object.keys(objects[0] ?? {})
    .filter((name) => ID_NAME.test(name) || ID_NAME_IN_CAMEL_CASE.test(name))
    .find((name) => areIds(objects.map((object) => object[name])));
  const hint = candidate === undefined ? 'NAME takes them from a field' : `${candidate} takes them from that field`;
  return `ids are made of the place and text of each item, so that the same file adds nothing twice (--id-field ${hint})`;
}

/** Tells whether values could be ids: short, and all different. */
function areIds(values: readonly unknown[]): boolean {
  const isOne = (value: unknown) =>
    Number.isInteger(value) || (typeof value === 'string' && /^\S+$/.test(value) && value.length <= ID_LENGTH_MAX);
  return values.length > 1 && values.every(isOne) && new Set(values).size === values.length;
}

/** @throws TransferFailure for a file whose first line begins an object that it does not end */
export function checkLines({ items }: Sampled, file: string): void {
  if (items[0]?.text.trim() !== '{' || items.some(({ text }) => objectIn(text).length > 0)) return;
  throw new TransferFailure(
    `${nameOf(file)} has JSON over several lines: it needs a list of objects, or one object a line`,
    ExitCode.NOT_STORED,
  );
}

function wrong(message: string): TransferFailure {
  return new TransferFailure(message, ExitCode.BAD_CONFIGURATION);
}
