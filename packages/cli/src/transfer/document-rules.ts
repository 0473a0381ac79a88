import { hash } from 'node:crypto';
import { sourceOf } from '../exact-json.js';
import { documentOf, readDocument } from './columns.js';
import { type Failure, Refused } from './failures.js';
import type { FieldNames } from './field-names.js';
import { flattened, isNested } from './nested-values.js';
import type { Nulls } from './nulls.js';
import { rowDocumentsOf } from './row-documents.js';
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

export function readItem(item: Item, rules: DocumentRules): Document | Failure {
  if (item.problem !== undefined) return new Refused(item, item.problem, item.kind);
  return documentOfRow(item, rules) ?? documentOfText(item, rules);
}

/** The document of a row; undefined where its values have to be looked at. */
function documentOfRow(item: Item, rules: DocumentRules): Document | Failure | undefined {
  const { columns, values } = item;
  const rows = columns && rowDocumentsOf(columns, rules);
  if (rows === undefined || values === undefined) return undefined;
  const made = rows.of(values, () => madeId(item));
  if (made === 'no id') return new Refused(item, noId(rules), noId(rules));
  return { place: item.place, id: made.id, text: made.text, given: false };
}

function documentOfText(item: Item, rules: DocumentRules): Document | Failure {
  const { place, text } = item;
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
  const id = idOf(members, item, rules);
  if (id === undefined) return { place, message: noId(rules), text };
  const given = '_tensors' in members;
  const cleaned = needsCleaning(members, given, rules) ? clean(text, given, rules) : text;
  const own = rules.omitted.has('_id') ? undefined : members._id;
  return { place, id, given, text: own === id ? cleaned : withId(id, cleaned, own) };
}

/** The id of a document; undefined where it has none that could be found again. */
function idOf(members: Members, item: Item, { idField = '_id', makesIds }: DocumentRules): string | undefined {
  const value = members[idField];
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') {
    const found = integerIn(item.text, idField, value)?.spelt;
    const spelt = found ?? sourceOf(readDocument(item.text)[idField]) ?? '';
    return /^-?\d+$/.test(spelt) ? spelt : undefined;
  }
  if (!makesIds || (value !== undefined && value !== null)) return undefined;
  return madeId(item);
}

/** The id that is made of an item: its place tells equal ones apart, its text those of different files. */
function madeId(item: Item): string {
  return hash('sha256', `${item.place}\n${item.source ?? item.text}`, 'base64url').slice(0, 22);
}

/** A whole number that a member is, as it is spelt, and its place in the text. */
interface SpeltInteger {
  readonly spelt: string;
  readonly start: number;
}

/**
 * Looks for the member of a document that is a whole number; undefined where the text need not tell it. Reading all numbers
 * as they are spelt takes several times as long as reading them.
 */
function integerIn(text: string, name: string, value: unknown): SpeltInteger | undefined {
  const key = JSON.stringify(name);
  const at = text.indexOf(key);
  // A name may be spelt with an escape, and then stand elsewhere as it is.
  if (!Number.isSafeInteger(value) || at < 0 || at !== text.lastIndexOf(key) || text.includes('\\u')) return undefined;
  SPELT_INTEGER.lastIndex = at + key.length;
  const [found = '', spelt = ''] = SPELT_INTEGER.exec(text) ?? [];
  // Behind a fraction or an exponent stands no end of the member.
  const end = at + key.length + found.length;
  return spelt === String(value) && /[\s,}]/.test(text.charAt(end)) ? { spelt, start: end - spelt.length } : undefined;
}

const SPELT_INTEGER = /\s*:\s*(-?\d+)/y;

function noId({ idField }: DocumentRules): string {
  return idField === undefined ? NO_ID : `No text and no whole number in '${idField}' to be the id`;
}

/** Tells a value of more lists and maps in each other than an import reads. */
export function isTooDeep(value: unknown, left = NESTING_MAX): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (left === 0) return true;
  // Vectors are most of what there is to look at.
  if (Array.isArray(value)) return value.some((inner) => typeof inner === 'object' && isTooDeep(inner, left - 1));
  for (const name in value) if (isTooDeep((value as Members)[name], left - 1)) return true;
  return false;
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

/** The document under another id than its own, if it has one. */
function withId(id: string, text: string, own: unknown): string {
  const json = JSON.stringify(id);
  if (own !== undefined) {
    const number = integerIn(text, '_id', own);
    if (number !== undefined && number.spelt === id) {
      return `${text.slice(0, number.start)}${json}${text.slice(number.start + id.length)}`;
    }
    const { _id, ...rest } = readDocument(text);
    const members = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const);
    return documentOf([['_id', json], ...members]);
  }
  const inner = text.slice(text.indexOf('{') + 1).trimStart();
  return `{"_id":${json}${inner.startsWith('}') ? '' : ','}${inner}`;
}
