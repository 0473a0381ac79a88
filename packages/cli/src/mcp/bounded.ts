import { sourceOf } from '../exact-json.js';

/** Bytes of the JSON of an answer, some 8,000 tokens: an agent has to read all of it. */
export const ANSWER_BYTES_MAX = 32 * 1024;

interface Bounds {
  /** Characters of a text. */
  readonly text: number;
  /** Entries of a list, and members of an object. */
  readonly entries: number;
}

/** Bounds that are tried one after the other, until all items fit. */
const BOUNDS: readonly Bounds[] = [
  { text: 4000, entries: 1000 },
  { text: 1000, entries: 100 },
  { text: 250, entries: 30 },
];

/** Items as far as an answer has room for them. */
export interface Bounded<Item> {
  readonly items: readonly Item[];
  /** Tells whether texts or lists were cut; each says so where it ends. */
  readonly isCut: boolean;
  /** Items at the end that were left out. */
  readonly leftOut: number;
}

/**
 * Cuts items to the room of an answer: long texts and lists first, and as little of each as is enough; then the last
 * items. An `_id` stays whole, since a part of it finds nothing. A first item that fits in no form is left out too.
 */
export function bounded<Item extends object>(items: readonly Item[], bytesMax = ANSWER_BYTES_MAX): Bounded<Item> {
  if (bytesOf(items) <= bytesMax) return { items, isCut: false, leftOut: 0 };
  let short = items;
  for (const bounds of BOUNDS) {
    short = items.map((item) => cutItem(item, bounds));
    if (bytesOf(short) <= bytesMax) return { items: short, isCut: true, leftOut: 0 };
  }
  const kept: Item[] = [];
  let room = bytesMax - 2;
  for (const item of short) {
    room -= bytesOf(item) + 1;
    if (room < 0) break;
    kept.push(item);
  }
  return { items: kept, isCut: kept.length > 0, leftOut: items.length - kept.length };
}

/** A sentence for an agent about what an answer lacks; undefined where it lacks nothing. */
export function noteOf({ isCut, leftOut }: Bounded<object>, remedy: string): string | undefined {
  const parts = [
    ...(isCut ? ['long texts and lists are cut where … says so'] : []),
    ...(leftOut > 0 ? [`the last ${leftOut} are left out`] : []),
  ];
  if (parts.length === 0) return undefined;
  const what = parts.join(' and ');
  return `To keep this answer short, ${what}: ${remedy}`;
}

/** Bytes of the JSON of a value. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function cutItem<Item extends object>(item: Item, bounds: Bounds): Item {
  return { ...(cut(item, bounds) as Item), ...('_id' in item && { _id: item._id }) };
}

function cut(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return cutText(value, bounds.text);
  // A number that is spelt as it was is no object with members.
  if (typeof value !== 'object' || value === null || sourceOf(value) !== undefined) return value;
  if (Array.isArray(value)) {
    const entries = value.slice(0, bounds.entries).map((entry) => cut(entry, bounds));
    return value.length > bounds.entries ? [...entries, `… ${value.length} entries in all`] : entries;
  }
  const members = Object.entries(value);
  const kept = members.slice(0, bounds.entries).map(([name, member]) => [name, cut(member, bounds)] as const);
  const more = members.length - kept.length;
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${members.length} members in all`]] : kept);
}

function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  // Not between the halves of one character.
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}… ${text.length} characters in all`;
}
