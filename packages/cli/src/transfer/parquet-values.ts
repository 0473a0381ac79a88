import { isUtf8 } from 'node:buffer';
import type { SchemaElement, SchemaTree } from 'hyparquet';
import { spellFloat } from '../exact-json.js';
import { documentOf } from './columns.js';

/** A value that no field can hold exactly. */
export class BadValue extends Error {}

/** Bytes where a text should be. */
class NoText {}
const noText = new NoText();

/** A byte order mark at the start of a text is part of it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Parsers that change no value: {@link speller} does, which knows the whole type. Missing values come to them, too. */
export const rawParsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && (isUtf8(bytes) ? decoder.decode(bytes) : noText),
  timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds,
};

/** A type as this module spells it. */
type Leaf =
  | { readonly name: 'text' | 'json' | 'integer' | 'float' | 'bool' | 'uuid' | 'date' | 'null' }
  | { readonly name: 'decimal'; readonly scale: number; readonly precision: number }
  | { readonly name: 'time' | 'timestamp'; readonly digits: number; readonly isUtc: boolean }
  /** Bytes of a fixed length and the like. */
  | { readonly name: 'unusable'; readonly type: string };

const UNIT_DIGITS = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const;

function leafOf(element: SchemaElement): Leaf {
  const { type, converted_type: converted, logical_type: logical } = element;
  const of = (...names: (string | undefined)[]) => names.includes(converted) || names.includes(logical?.type);
  if (logical?.type === 'NULL') return { name: 'null' };
  if (of('DECIMAL')) {
    const { scale = 0, precision = 0 } = logical?.type === 'DECIMAL' ? logical : element;
    return { name: 'decimal', scale, precision };
  }
  if (of('DATE')) return { name: 'date' };
  if (logical?.type === 'TIME' || logical?.type === 'TIMESTAMP') {
    const name = logical.type === 'TIME' ? 'time' : 'timestamp';
    return { name, digits: UNIT_DIGITS[logical.unit], isUtc: logical.isAdjustedToUTC };
  }
  if (of('TIME_MILLIS', 'TIMESTAMP_MILLIS', 'TIME_MICROS', 'TIMESTAMP_MICROS')) {
    const name = converted?.startsWith('TIMESTAMP') ? 'timestamp' : 'time';
    // Types from before the logical ones are in UTC.
    return { name, digits: converted?.endsWith('MILLIS') ? 3 : 6, isUtc: true };
  }
  if (type === 'INT96') return { name: 'timestamp', digits: 9, isUtc: false };
  if (of('JSON')) return { name: 'json' };
  if (of('UUID')) return { name: 'uuid' };
  const unusable = ['BSON', 'INTERVAL', 'GEOMETRY', 'GEOGRAPHY'].find((name) => of(name));
  if (unusable !== undefined) return { name: 'unusable', type: unusable.toLowerCase() };
  // Many writers leave the type of texts out.
  if (type === 'BYTE_ARRAY') return { name: 'text' };
  if (of('FLOAT16') || type === 'FLOAT' || type === 'DOUBLE') return { name: 'float' };
  if (type === 'BOOLEAN') return { name: 'bool' };
  if (type === 'FIXED_LEN_BYTE_ARRAY') return { name: 'unusable', type: 'bytes' };
  return { name: 'integer' };
}

/** The schema by which a reader gives values as they are stored, but for texts and unsigned integers. */
export function rawSchema(schema: readonly SchemaElement[]): SchemaElement[] {
  return schema.map((element) => {
    if (element.type === undefined) return element;
    const { converted_type: _converted, logical_type: _logical, ...raw } = element;
    const leaf = leafOf(element);
    switch (leaf.name) {
      case 'text':
      case 'json':
        return { ...raw, converted_type: 'UTF8' };
      case 'integer':
      case 'float':
      case 'uuid':
        return element;
      default:
        return raw;
    }
  });
}

/** The JSON of a value of a column; undefined of one that is missing. */
export type Speller = (value: unknown) => string | undefined;

/** Returns the function that spells the values of a column, each by its type. It throws {@link BadValue}. */
export function speller(node: SchemaTree): Speller {
  const spell = node.children.length === 0 ? spellLeaf(leafOf(node.element)) : spellGroup(node);
  if (node.element.repetition_type !== 'REPEATED') return spell;
  return (value) => (Array.isArray(value) ? listOf(value, spell) : spell(value));
}

function spellGroup(node: SchemaTree): Speller {
  const { converted_type: converted, logical_type: logical } = node.element;
  const [child] = node.children;
  if (child !== undefined && (converted === 'LIST' || logical?.type === 'LIST')) {
    const [only, more] = child.children;
    const spell = speller(only === undefined || more !== undefined ? single(child) : only);
    return (value) => (Array.isArray(value) ? listOf(value, spell) : spell(value));
  }
  const spellers = new Map(node.children.map((inner) => [inner.element.name, speller(inner)] as const));
  const [, ofValue] = child?.children ?? [];
  const ofMap = /^MAP/.test(converted ?? logical?.type ?? '') && ofValue !== undefined ? speller(ofValue) : undefined;
  return (value) => {
    if (value === null || value === undefined) return undefined;
    const members = Object.entries(value as Record<string, unknown>);
    return documentOf(members.map(([name, inner]) => [name, (ofMap ?? spellers.get(name))?.(inner)]));
  };
}

/** The node as one of its list. */
function single(node: SchemaTree): SchemaTree {
  return { ...node, element: { ...node.element, repetition_type: 'REQUIRED' } };
}

function listOf(values: readonly unknown[], spell: Speller): string {
  return `[${values.map((value) => spell(value) ?? 'null').join(',')}]`;
}

function spellLeaf(leaf: Leaf): Speller {
  const spell = spellPresent(leaf);
  return (value) => (value === null || value === undefined ? undefined : spell(value));
}

function spellPresent(leaf: Leaf): (value: unknown) => string {
  switch (leaf.name) {
    case 'json':
      return jsonOf;
    case 'text':
    case 'uuid':
      return (value) => JSON.stringify(textOf(value));
    case 'float':
      return (value) => {
        if (!Number.isFinite(value)) throw new BadValue(`holds ${value}, which no field can`);
        return spellFloat(value as number);
      };
    case 'decimal':
      return (value) => decimalOf(integerOf(value), leaf);
    case 'date':
      return (value) => JSON.stringify(dateOf(integerOf(value)));
    case 'time':
      return (value) => JSON.stringify(timeOf(integerOf(value), leaf.digits));
    case 'timestamp':
      return (value) => JSON.stringify(timestampOf(integerOf(value), leaf));
    case 'unusable':
      return () => {
        throw new BadValue(`holds ${leaf.type}, which no field can`);
      };
    default:
      return (value) => {
        // A damaged schema may take groups for values.
        if (['number', 'bigint', 'boolean'].includes(typeof value)) return String(value);
        throw new BadValue('holds what is not of its type');
      };
  }
}

/** @throws BadValue for a text that is no JSON */
export function jsonOf(value: unknown): string {
  const text = textOf(value);
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new BadValue(`holds what is no JSON (${(error as Error).message})`);
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new BadValue(value === noText ? 'holds bytes that are not UTF-8' : 'holds what is no text');
}

/** A whole number, or the bytes of one in two's complement, greatest first. */
function integerOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isInteger(value)) return BigInt(value as number);
  if (!(value instanceof Uint8Array)) throw new BadValue('holds what is no whole number');
  return value.length === 0 ? 0n : BigInt.asIntN(8 * value.length, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

/** Digits that a double holds of any decimal number, and an integer of 64 bits of any whole one. */
const [FLOAT_DIGITS, INTEGER_DIGITS] = [15, 18] as const;

function isNumber({ scale, precision }: Leaf & { name: 'decimal' }): boolean {
  return precision <= (scale === 0 ? INTEGER_DIGITS : FLOAT_DIGITS);
}

function decimalOf(unscaled: bigint, leaf: Leaf & { name: 'decimal' }): string {
  const { scale } = leaf;
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const cut = digits.length - scale;
  const spelt = `${unscaled < 0n ? '-' : ''}${digits.slice(0, cut)}${scale > 0 ? `.${digits.slice(cut)}` : ''}`;
  return isNumber(leaf) ? spelt : JSON.stringify(spelt);
}

const DAY_SECONDS = 86_400n;
/** Days that JavaScript has a date for, either side of 1970. */
const DAYS_MAX = 100_000_000n;

function dateOf(days: bigint): string {
  if (days > DAYS_MAX || days < -DAYS_MAX) throw new BadValue(`holds ${days} days since 1970, which is no date`);
  return new Date(Number(days * DAY_SECONDS) * 1000).toISOString().replace(/T.*/, '');
}

function timeOf(units: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const seconds = units / perSecond;
  const two = (part: bigint) => String(part).padStart(2, '0');
  const fraction = String(units % perSecond).padStart(digits, '0');
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}.${fraction}`;
}

function timestampOf(units: bigint, { digits, isUtc }: Leaf & { name: 'time' | 'timestamp' }): string {
  const perDay = DAY_SECONDS * 10n ** BigInt(digits);
  const inDay = ((units % perDay) + perDay) % perDay;
  return `${dateOf((units - inDay) / perDay)}T${timeOf(inDay, digits)}${isUtc ? 'Z' : ''}`;
}

/** Tells whether all values of a column are texts, numbers or truth values. */
export function isScalar({ children, element }: SchemaTree): boolean {
  if (children.length > 0 || element.repetition_type === 'REPEATED') return false;
  return !['json', 'null', 'unusable'].includes(leafOf(element).name);
}

/** Tells how columns are taken whose type JSON lacks. */
export function columnsNote(columns: readonly SchemaTree[]): string | undefined {
  const [numbers, texts]: [string[], string[]] = [[], []];
  for (const column of columns) {
    for (const leaf of leavesOf(column)) {
      const name = column.element.name;
      if (leaf.name === 'decimal') {
        const type = `${name} (decimal ${leaf.precision},${leaf.scale})`;
        if (isNumber(leaf)) numbers.push(type);
        else texts.push(`${type}, as no number holds all digits`);
      } else if (['date', 'time', 'timestamp'].includes(leaf.name)) texts.push(`${name} (${leaf.name})`);
    }
  }
  const parts = [
    numbers.length > 0 && `numbers: ${numbers.join(', ')}`,
    texts.length > 0 && `texts: ${texts.join('; ')}`,
  ];
  return parts.filter(Boolean).join('; ') || undefined;
}

/** The type of a column that no field can hold; undefined of others. */
export function unusableType(column: SchemaTree): string | undefined {
  if (column.element.logical_type?.type === 'VARIANT') return 'variants';
  return leavesOf(column).find((leaf) => leaf.name === 'unusable')?.type;
}

/** The name that a group of columns has twice, so that a reader loses one of them. */
export function repeatedName({ children }: SchemaTree): string | undefined {
  const names = new Set<string>();
  for (const child of children) {
    const { name } = child.element;
    const repeated = names.has(name) ? name : repeatedName(child);
    if (repeated !== undefined) return repeated;
    names.add(name);
  }
  return undefined;
}

function leavesOf({ element, children }: SchemaTree): Leaf[] {
  return children.length === 0 ? [leafOf(element)] : children.flatMap(leavesOf);
}
