/** Numbers that look random and are the same for a seed on every machine (SplitMix32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

export type Given = Record<string, unknown>;

export interface GeneratorOptions {
  readonly seed: number;
  readonly customerId: string;
  /** Events happen from `from` to `to`, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly userCount: number;
}

const queries = ['shoes', 'Shoes ', 'red  shoes', 'tent', 'lamp', 'ｌａｍｐ', 'sofa', 'zzz', '', ' '];
const collections = ['summer', 'sale', 'new'];
const currencies = ['EUR', 'usd', 'GBP'];
const tags = [undefined, [], ['web_prod'], ['app_prod', 'web_prod'], ['other', 'web_mobile_prod']];

/**
 * The events that shoppers send, in the order of their coming: whole sessions, mixed, with duplicates, late and bad
 * ones among them.
 */
export function* shoppers(options: GeneratorOptions): Generator<Given> {
  const random = new Random(options.seed);
  const open: Given[][] = [];
  const sent: Given[] = [];
  let sessionCount = 0;
  for (;;) {
    while (open.length < 20) open.push(session(random, options, sessionCount++));
    const place = random.below(open.length);
    const events = open[place] as Given[];
    const event = events.shift();
    if (event === undefined) {
      open.splice(place, 1);
      continue;
    }
    // Some come behind others of their session that happened later.
    if (random.chance(0.05) && events.length > 0) {
      events.splice(random.below(events.length) + 1, 0, event);
      continue;
    }
    yield event;
    sent.push(event);
    if (sent.length > 200) sent.shift();
    if (random.chance(0.05)) yield { ...random.pick(sent) };
    if (random.chance(0.02)) yield bad(random, event);
  }
}

function session(random: Random, { customerId, from, to, userCount }: GeneratorOptions, number: number): Given[] {
  const user = random.below(userCount);
  const common = {
    customerId,
    experimentId: `experiment-${random.below(3)}`,
    userId: `user-${user}`,
    // Few sessions of few users go on for days, and over the end of a month.
    sessionId: random.chance(0.1) ? `long-${user % Math.ceil(userCount / 5)}` : `session-${number}`,
    customVariant: random.pick(['a', 'b']),
    userAgent: 'Mozilla/5.0',
    tags: random.pick(tags),
  };
  if (common.tags === undefined) delete (common as Given).tags;
  let at = from + random.below(to - from);
  const events: Given[] = [];
  const add = (members: Given) => {
    if (at < to) events.push({ ...common, timestamp: new Date(at).toISOString(), ...members });
    at += random.chance(0.02) ? random.below(30 * 3_600_000) : random.below(90_000);
  };
  for (let view = random.below(4); view >= 0; view -= 1) {
    const pageUrl = `https://shop.test/page-${random.below(3)}`;
    const referrerUrl = random.pick(['https://shop.test/', '']);
    const queryId = random.chance(0.3) ? `query-${random.below(1_000_000)}` : undefined;
    const own = queryId === undefined ? {} : { queryId };
    if (random.chance(0.75))
      add({ eventType: 'SearchEvent', query: random.pick(queries), referrerUrl, pageUrl, ...own });
    else add({ eventType: 'CollectionViewEvent', collectionId: random.pick(collections), referrerUrl, pageUrl });
    for (let clicks = random.below(3); clicks > 0; clicks -= 1) {
      const docId = `doc-${random.below(12)}`;
      const product = { docId, title: 'A thing' };
      const from = random.chance(0.1) ? 'https://elsewhere.test/' : pageUrl;
      if (random.chance(0.9)) add({ eventType: 'ClickEvent', ...product, referrerUrl, pageUrl: from, ...own });
      const page = `https://shop.test/products/${docId}`;
      const where = random.pick([
        { referrerUrl, pageUrl },
        { referrerUrl: pageUrl, pageUrl: page },
        { referrerUrl, pageUrl: page },
      ]);
      const currency = random.pick(currencies);
      if (random.chance(0.5)) add({ eventType: 'AddToCartEvent', ...product, currency, ...where });
      if (random.chance(0.3))
        add({ eventType: 'PurchaseEvent', ...purchase(random, docId), currency, referrerUrl: page, pageUrl: page });
    }
  }
  return events;
}

function purchase(random: Random, docId: string): Given {
  const price = () => random.below(10_000) / 100;
  if (random.chance(0.5)) return { docId, title: 'A thing', quantity: 1 + random.below(3), price: price() };
  const other = `doc-${random.below(12)}`;
  return { docId: [docId, other], title: ['A thing', 'Another'], quantity: [1, 2], price: [price(), price()] };
}

/** An event that no rule lets through. */
function bad(random: Random, event: Given): Given {
  const { sessionId: _, ...without } = event;
  return random.pick<Given>([
    without,
    { ...event, eventType: 'searchEvent' },
    { ...event, timestamp: 'yesterday' },
    { ...event, timestamp: '2001-01-01T00:00:00Z' },
    { ...event, userId: '' },
    { ...event, customerId: 'another' },
    { ...event, tags: 'web_prod' },
  ]);
}
