import { createHash } from 'node:crypto';
import { sourceOf } from '../exact-json.js';
import { documentOf, readDocument } from './columns.js';
import type { Failure } from './failures.js';
import type { FieldNames } from './field-names.js';
import { flattened, isNested } from './nested-values.js';
import type { Nulls } from './nulls.js';
import type { Item } from './source.js';
import { isStorable, type Unstorable } from './unstorable.js';

/** Rules by which an item of a file becomes a document to add. */
export interface DocumentRules {
  /** The member whose value is the id; undefined for `_id`. */
  readonly idField: string | undefined;
  /** Tells whether a document without an id gets one. */
  readonly makesIds: boolean;
  /** The fate of members that are null. */
  readonly nulls: Nulls;
  /** The fate of members that no field of the index holds, but for those of `kept`. */
  readonly unstorable: Unstorable;
  /** Members whose value is for the index to judge. */
  readonly kept: ReadonlySet<string>;
  /** Members that are left out. */
  readonly omitted: ReadonlySet<string>;
  /** Members that are texts, also where they are spelt as numbers. */
  readonly texts: ReadonlySet<string>;
  /** The names of fields; undefined of an export, whose names are fields already. */
  readonly names: FieldNames | undefined;
}

/** A document to add. */
export interface Document {
  readonly place: number;
  readonly id: string;
  readonly text: string;
  /** Tells whether it brings its tensors. */
  readonly given: boolean;
}

type Members = Record<string, unknown>;

/** Most lists and maps around a value: many more than any field has, and fewer than a reader can be in at once. */
const NESTING_MAX = 100;

const NO_ID = 'A document needs an `_id`, a text: an import that is repeated must find it again';

export function readItem({ place, text, problem, source = text }: Item, rules: DocumentRules): Document | Failure {
  if (problem !== undefined) return { place, message: problem, text };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { place, message: `No JSON: ${(error as Error).message}`, text };
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return { place, message: 'No JSON object', text };
  }
  const members = document as Members;
  if (isTooDeep(document)) {
    return { place, message: `Nested too deep: more than ${NESTING_MAX} lists and maps in each other`, text };
  }
  const isNull = rules.unstorable === 'flatten' ? hasNullAnywhere : hasNull;
  const nulls = rules.nulls === 'refuse' ? Object.keys(members).find((name) => isNull(members[name])) : undefined;
  if (nulls !== undefined) return { place, message: `The field '${nulls}' is null, or an entry of it`, text };
  const id = idOf(members, text, source, place, rules);
  if (id === undefined) {
    const message =
      rules.idField === undefined ? NO_ID : `No text and no whole number in '${rules.idField}' to be the id`;
    return { place, message, text };
  }
  const given = '_tensors' in members;
  const cleaned = needsCleaning(members, given, rules) ? clean(text, given, rules) : text;
  return { place, id, given, text: members._id === id ? cleaned : withId(id, cleaned, '_id' in members) };
}

/** The id of a document; undefined where it has none that could be found again. */
function idOf(
  members: Members,
  text: string,
  source: string,
  place: number,
  { idField = '_id', makesIds }: DocumentRules,
): string | undefined {
  const value = members[idField];
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') {
    const spelt = sourceOf(readDocument(text)[idField]) ?? '';
    return /^-?\d+$/.test(spelt) ? spelt : undefined;
  }
  if (!makesIds || (value !== undefined && value !== null)) return undefined;
  // Its place tells equal items apart, its text those of different files.
  return createHash('sha256').update(`${place}\n${source}`).digest('base64url').slice(0, 22);
}

/** Tells a value of more lists and maps in each other than an import reads. */
export function isTooDeep(value: unknown, left = NESTING_MAX): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}

/** A null, or a map with one: a list with one is told by the server. */
function hasNull(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return value === null || (!Array.isArray(value) && Object.values(value).some(hasNull));
}

/** The same where no list reaches the server as it is. */
function hasNullAnywhere(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value as object).some(hasNullAnywhere));
}

function needsCleaning(members: Members, given: boolean, rules: DocumentRules): boolean {
  const { omitted, names, texts } = rules;
  for (const [name, value] of Object.entries(members)) {
    if (hasNull(value) || omitted.has(name) || isUnfit(name, value, given, rules)) return true;
    if (texts.has(name) && (typeof value === 'number' || typeof value === 'boolean')) return true;
    const field = names?.of(name, value) ?? name;
    if (field !== name || (!given && field.includes('.'))) return true;
  }
  return false;
}

/**
 * The document without what is left out, under the names of fields, and with numbers as they are spelt. An export without
 * vectors has entries of maps as members `map.key`; an add takes maps.
 */
function clean(text: string, given: boolean, rules: DocumentRules): string {
  const { omitted, names, texts, unstorable, kept } = rules;
  const members: [string, string | undefined][] = [];
  const maps = new Map<string, Members>();
  const read = Object.fromEntries(Object.entries(readDocument(text)).filter(([name]) => !omitted.has(name)));
  const flattens = unstorable === 'flatten' && !given;
  for (const [name, value] of flattens ? flattened(read, kept) : Object.entries(read)) {
    if (value === null) continue;
    const unfit = !flattens && isUnfit(name, value, given, rules);
    if (unfit && unstorable === 'drop') continue;
    // A number of a nested map is a field of its own, and no entry of a map.
    const isEntry = sourceOf(value) !== undefined && Object.hasOwn(read, name);
    const field = names?.of(name, isEntry ? 0 : sourceOf(value) === undefined ? value : undefined) ?? name;
    const dot = given ? -1 : field.indexOf('.');
    const json = JSON.stringify(withoutNulls(value));
    const isText = unfit || (texts.has(name) && /^[-\dtf]/.test(json));
    if (dot < 0 || unfit) members.push([field, isText ? JSON.stringify(json) : json]);
    else maps.set(field.slice(0, dot), { ...maps.get(field.slice(0, dot)), [field.slice(dot + 1)]: value });
  }
  for (const [name, map] of maps) members.push([name, JSON.stringify(map)]);
  return documentOf(members);
}

/** Tells whether a member becomes another, or none, since no field holds it. */
function isUnfit(name: string, value: unknown, given: boolean, { unstorable, kept }: DocumentRules): boolean {
  if (unstorable === 'refuse' || given || kept.has(name)) return false;
  return unstorable === 'flatten' ? isNested(value) : !isStorable(value);
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || sourceOf(value) !== undefined)
    return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner)]));
}

/** The document under another id. */
function withId(id: string, text: string, hasOwn: boolean): string {
  const own = JSON.stringify(id);
  if (hasOwn) {
    const { _id, ...rest } = readDocument(text);
    const members = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const);
    return documentOf([['_id', own], ...members]);
  }
  const inner = text.slice(text.indexOf('{') + 1).trimStart();
  return `{"_id":${own}${inner.startsWith('}') ? '' : ','}${inner}`;
}
