import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';
import { oneOf, type Random, randomOf } from './random-bodies.js';

const SIZE = 60;
const PAGE = 11;
const WORDS = ['dog', 'cat', 'river', 'coat', 'lamp'];
const SEARCHES = 30;

interface Hit {
  readonly _id: string;
  readonly _pinned?: boolean;
}

interface Answer {
  readonly hits: readonly Hit[];
  readonly totalHits: number;
}

let service: Service;
const random = randomOf(7);
const documents = Array.from({ length: SIZE }, (_, at) => ({
  _id: `d${at}`,
  title: `${oneOf(random, WORDS)} ${oneOf(random, WORDS)} ${oneOf(random, WORDS)}`,
  price: Math.floor(random() * 30),
}));

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  const added = await send(service.app, {
    request: 'POST /indexes/a/documents',
    body: { documents, tensorFields: ['title'] },
  });
  expect(added.json().errors).toBe(false);
});

afterAll(() => service.close());

async function ask(body: object): Promise<Answer> {
  const response = await send(service.app, { request: 'POST /indexes/a/search', body });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

/** All hits, page by page. */
async function pages(body: object): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (let offset = 0; offset < SIZE + PAGE; offset += PAGE) {
    hits.push(...(await ask({ ...body, limit: PAGE, offset })).hits);
  }
  return hits;
}

const idsOf = (hits: readonly Hit[]) => hits.map(({ _id }) => _id);
const idIn = (random: Random) => `d${Math.floor(random() * (SIZE + 4))}`;

/** A search, the ids that it pins by their places, and those that it hides. */
function curated(random: Random) {
  const filter = oneOf(random, [null, null, 'price:[5 TO 25]', 'NOT price:[* TO 10]']);
  const body = {
    q: `${oneOf(random, WORDS)} ${oneOf(random, WORDS)}`,
    trackTotalHits: true,
    ...oneOf(random, [
      { searchMethod: 'LEXICAL' },
      { searchMethod: 'TENSOR', approximate: false },
      { searchMethod: 'HYBRID', approximate: false },
      { searchMethod: 'LEXICAL', sortBy: { fields: [{ fieldName: 'price', order: 'asc' }] } },
      { searchMethod: 'LEXICAL', scoreModifiers: { add_to_score: [{ field_name: 'price', weight: 1 }] } },
    ]),
    ...(filter !== null && { filter }),
  };
  const ids = [...new Set([idIn(random), idIn(random), idIn(random)])];
  const pinned = ids.map((_id, at) => ({ _id, position: 1 + at + 3 * Math.floor(random() * 8) }));
  return { body, filter, pinned, hidden: [idIn(random), oneOf(random, [...ids, idIn(random)])] };
}

/** The ids of a ranking in which each pinned one stands at its place, or behind the last one. */
function placed(
  ranked: readonly string[],
  pins: readonly { readonly _id: string; readonly position: number }[],
): string[] {
  const ids = [...ranked];
  for (const { _id, position } of pins.toSorted((a, b) => a.position - b.position)) ids.splice(position - 1, 0, _id);
  return ids;
}

test('pinned documents stand at their places in the ranking of those that are neither pinned nor hidden', async () => {
  for (let seed = 0; seed < SEARCHES; seed += 1) {
    const { body, filter, pinned, hidden } = curated(randomOf(seed));
    const others = [...pinned.map(({ _id }) => _id), ...hidden].map((_id) => `NOT _id:${_id}`).join(' AND ');
    const rest = { ...body, filter: filter === null ? others : `(${filter}) AND ${others}` };
    const passing = await ask({ q: '*', searchMethod: 'LEXICAL', limit: 100, ...(filter !== null && { filter }) });
    const shown = pinned.filter(({ _id }) => idsOf(passing.hits).includes(_id) && !hidden.includes(_id));
    const found = await pages({ ...body, pinned, hidden });
    expect(idsOf(found), `seed ${seed}`).toEqual(placed(idsOf(await pages(rest)), shown));
    const marked = found.filter(({ _pinned }) => _pinned === true);
    expect(idsOf(marked).toSorted()).toEqual(shown.map(({ _id }) => _id).toSorted());
    const [all, ranked] = [await ask({ ...body, pinned, hidden }), await ask(rest)];
    expect(all.totalHits, `seed ${seed}`).toBe(ranked.totalHits + shown.length);
  }
});
