import {
  AMOUNT_MAX,
  amountOf,
  DAY_MS,
  EVENT_TYPES,
  type EventBody,
  type EventType,
  isPrice,
  isQuantity,
  itemsOf,
  piecesOf,
  QUANTITY_MAX,
  TRAFFIC_SOURCES,
} from './event.js';

/** The reason that an event is not taken, or the strange thing about one that is. */
export interface Finding {
  readonly code: string;
  readonly message: string;
}

export interface CheckedEvent {
  readonly type: number;
  readonly at: number;
  /** The very event that was checked where nothing had to be changed in it. */
  readonly body: EventBody;
  /** The warning about an event that is stored all the same. */
  readonly warning: Finding | null;
}

/** The rules for an event besides its own shape. */
export interface EventRules {
  readonly customerId: string;
  /** Earliest and latest time that an event may have happened at, in milliseconds since 1970. */
  readonly earliest: number;
  readonly latest: number;
}

const ID_LENGTH_MAX = 256;
const USER_AGENT_LENGTH_MAX = 1_024;
const URL_LENGTH_MAX = 2_048;
const QUERY_LENGTH_MAX = 1_024;
/** Titles of products have no bound of their own. */
const TITLE_LENGTH_MAX = 4_096;
const TAGS_MAX = 20;
const ITEMS_MAX = 1_000;
const UNKNOWN_BYTES_MAX = 4_096;

/** Longest text in characters of each member that is one. */
const texts: Readonly<Record<string, number>> = {
  customerId: ID_LENGTH_MAX,
  experimentId: ID_LENGTH_MAX,
  userId: ID_LENGTH_MAX,
  sessionId: ID_LENGTH_MAX,
  customVariant: ID_LENGTH_MAX,
  userAgent: USER_AGENT_LENGTH_MAX,
  query: QUERY_LENGTH_MAX,
  collectionId: ID_LENGTH_MAX,
  docId: ID_LENGTH_MAX,
  title: TITLE_LENGTH_MAX,
  referrerUrl: URL_LENGTH_MAX,
  pageUrl: URL_LENGTH_MAX,
  eventId: ID_LENGTH_MAX,
  queryId: ID_LENGTH_MAX,
};

/** Required texts that may be empty: where one browses, comes from nowhere, or looks at what has no title. */
const mayBeEmpty: ReadonlySet<string> = new Set(['query', 'referrerUrl', 'title']);

const common = ['customerId', 'experimentId', 'userId', 'sessionId', 'customVariant', 'userAgent'] as const;
const optional = ['eventId', 'queryId'] as const;

/** The required texts of each event besides the common ones. */
const ownTexts: Readonly<Record<EventType, readonly string[]>> = {
  SearchEvent: ['query', 'referrerUrl', 'pageUrl'],
  CollectionViewEvent: ['collectionId', 'referrerUrl', 'pageUrl'],
  ClickEvent: ['docId', 'title', 'referrerUrl', 'pageUrl'],
  AddToCartEvent: ['docId', 'title', 'referrerUrl', 'pageUrl'],
  PurchaseEvent: ['referrerUrl', 'pageUrl'],
};

interface TextMember {
  readonly name: string;
  readonly isOptional: boolean;
}

/** By the number of an event's type, its members that are texts, in the order in which they are checked. */
const textsOf = EVENT_TYPES.map((type) => [...common, ...ownTexts[type], ...optional].map(textMember));

function textMember(name: string): TextMember {
  return { name, isOptional: (optional as readonly string[]).includes(name) };
}

/** Members besides texts that events of a type may have, each of which is checked. */
const otherMembers: Readonly<Record<EventType, readonly string[]>> = {
  SearchEvent: [],
  CollectionViewEvent: [],
  ClickEvent: [],
  AddToCartEvent: ['currency'],
  PurchaseEvent: ['docId', 'title', 'quantity', 'price', 'currency'],
};

/** By the number of an event's type, the members that are checked: any other is the sender's own. */
const knownOf: readonly ReadonlySet<string>[] = EVENT_TYPES.map(
  (type, number) =>
    new Set([
      ...(textsOf[number] as readonly TextMember[]).map(({ name }) => name),
      ...['eventType', 'timestamp', 'tags', ...otherMembers[type]],
    ]),
);

class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Checks an event of a batch. A refusal names the member, its expected and its received value. */
export function checkEvent(event: unknown, rules: EventRules): CheckedEvent | Finding {
  try {
    return checked(event, rules);
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, message: error.message };
    throw error;
  }
}

export function isFinding(result: CheckedEvent | Finding): result is Finding {
  return 'code' in result;
}

function checked(event: unknown, rules: EventRules): CheckedEvent {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new Refusal('invalid_event', `Expected an object for an event, received ${shown(event)}`);
  }
  const given = event as Record<string, unknown>;
  const type = EVENT_TYPES.indexOf(given.eventType as EventType);
  const eventType = EVENT_TYPES[type];
  if (eventType === undefined) throw wrong('eventType', `one of ${EVENT_TYPES.join(', ')}`, given.eventType);
  for (const { name, isOptional } of textsOf[type] as readonly TextMember[]) {
    const value = given[name];
    if (value != null || !isOptional) requireText(name, value);
  }
  if (given.customerId !== rules.customerId) {
    throw new Refusal(
      'wrong_customer',
      `customerId: expected that of the tracking key, received ${shown(given.customerId)}`,
    );
  }
  const at = timeOf(given.timestamp, rules);
  if (eventType === 'PurchaseEvent') requireItems(given);
  const pays = eventType === 'PurchaseEvent' || eventType === 'AddToCartEvent';
  const currency = pays ? currencyOf(given.currency) : given.currency;
  const body = currency === given.currency ? given : { ...given, currency };
  requireSmall(type, given);
  return { type, at, body, warning: tagsWarning(given.tags) };
}

/** @param name how a refusal names it */
function requireText(member: string, value: unknown, name = member): void {
  const lengthMin = mayBeEmpty.has(member) ? 0 : 1;
  const lengthMax = texts[member] as number;
  if (typeof value === 'string' && value.length >= lengthMin && value.length <= lengthMax) return;
  throw wrong(name, `a text of ${lengthMin} to ${lengthMax} characters`, value);
}

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

function timeOf(value: unknown, { earliest, latest }: EventRules): number {
  const at = typeof value === 'string' && iso.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at) || !isDay(value as string)) {
    throw wrong('timestamp', 'a time in ISO 8601 with Z or an offset', value);
  }
  const age = (bound: number) => new Date(bound).toISOString();
  if (at > latest)
    throw new Refusal('timestamp_ahead', `timestamp: expected at most ${age(latest)}, received ${shown(value)}`);
  if (at < earliest) {
    throw new Refusal('timestamp_too_old', `timestamp: expected at least ${age(earliest)}, received ${shown(value)}`);
  }
  return at;
}

/** Tells whether the month of a time has that day: `Date.parse` takes the 31st of every month. */
function isDay(time: string): boolean {
  const day = Number(time.slice(8, 10));
  return day <= 28 || new Date(Date.parse(`${time.slice(0, 10)}T00:00:00Z`)).getUTCDate() === day;
}

const perItem = ['docId', 'quantity', 'title', 'price'] as const;

/** The products of a purchase: all of their members arrays of one length, or none of them. */
function requireItems(given: Record<string, unknown>): void {
  const lists = perItem.filter((name) => Array.isArray(given[name]));
  const count = lists.length === 0 ? 1 : (given.docId as { length?: number } | undefined)?.length;
  for (const name of perItem) {
    const value = given[name];
    if (lists.length === 0) requireItemMember(name, value);
    else {
      const isWhole = Array.isArray(value) && value.length === count && value.length > 0 && value.length <= ITEMS_MAX;
      const expected = `an array of 1 to ${ITEMS_MAX} items, as many as docId has, where docId, quantity, title or price is one`;
      if (!isWhole) throw wrong(name, expected, value);
      for (const [place, item] of value.entries()) requireItemMember(name, item, `${name}.${place}`);
    }
  }
  const items = itemsOf(given);
  const pieces = piecesOf(items);
  if (pieces > QUANTITY_MAX) throw wrong('quantity', `at most ${QUANTITY_MAX} pieces of all items together`, pieces);
  const amount = amountOf(items);
  if (amount > AMOUNT_MAX) throw wrong('price', `items that come to at most ${AMOUNT_MAX} together`, amount);
}

function requireItemMember(member: (typeof perItem)[number], value: unknown, name: string = member): void {
  if (member === 'quantity') {
    if (!isQuantity(value)) throw wrong(name, `an integer from 1 to ${QUANTITY_MAX}`, value);
  } else if (member === 'price') {
    if (!isPrice(value)) throw wrong(name, `a number from 0 to ${AMOUNT_MAX}`, value);
  } else requireText(member, value, name);
}

function currencyOf(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value)) return value.toUpperCase();
  throw wrong('currency', 'a code of three letters', value);
}

function requireSmall(type: number, given: Record<string, unknown>): void {
  const unknown = Object.keys(given).filter((name) => !knownOf[type]?.has(name));
  if (unknown.length === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(unknown.map((name) => [name, given[name]]))));
  if (bytes > UNKNOWN_BYTES_MAX) {
    throw new Refusal(
      'event_too_large',
      `Expected at most ${UNKNOWN_BYTES_MAX} bytes of members that this interface does not name for such an event, received ${bytes}`,
    );
  }
}

function tagsWarning(tags: unknown): Finding | null {
  if (tags == null) return null;
  const isList = Array.isArray(tags) && tags.length <= TAGS_MAX;
  if (!isList || !tags.every((tag) => typeof tag === 'string' && tag.length <= ID_LENGTH_MAX)) {
    throw wrong('tags', `an array of at most ${TAGS_MAX} texts of at most ${ID_LENGTH_MAX} characters`, tags);
  }
  const sources = tags.filter((tag) => TRAFFIC_SOURCES.has(tag));
  if (sources.length < 2) return null;
  const [first, ...others] = new Set(sources);
  if (others.length === 0) return null;
  return {
    code: 'several_traffic_sources',
    message: `tags: expected one traffic source, received ${[first, ...others].join(', ')}; the first one counts`,
  };
}

function wrong(name: string, expected: string, value: unknown): Refusal {
  const code = value === undefined ? 'missing_member' : 'invalid_member';
  return new Refusal(code, `${name}: expected ${expected}, received ${shown(value)}`);
}

const SHOWN_LENGTH_MAX = 60;

/** A value as a message shows it: never more than the start of it. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length} items`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return value.length <= SHOWN_LENGTH_MAX
    ? `'${value}'`
    : `'${value.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}...' (${value.length} characters)`;
}

/** The time rules of a customer that keeps events for `retentionDays`. */
export function earliestOf(now: number, ageMs: number, retentionDays: number): number {
  return Math.max(now - ageMs, keptSince(now, retentionDays));
}

/** Events before this are deleted: at midnight UTC those that are older than `retentionDays`. */
export function keptSince(now: number, retentionDays: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS - retentionDays * DAY_MS;
}
