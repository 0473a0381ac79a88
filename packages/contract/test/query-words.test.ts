import { expect, test } from 'vitest';
import { beginsWithWords, hasWords, isRedirect, normalizedQuery, synonymsOfQuery } from '../src/index.js';

const words = ['red', 'shoe', 'boot', 'hat', 'rain coat', 'running shoe', 'mac'];

/** Numbers below `count`, the same for the same seed. */
function numbers(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

/** The same by looking for every term in the query. */
function plainly(all: readonly { terms: string[]; from?: string | null }[], query: string): string[] {
  const has = (term: string) => hasWords(normalizedQuery(query), normalizedQuery(term));
  const met = all.filter(({ terms, from }) => (from == null ? terms.some(has) : has(from)));
  return [...new Set(met.flatMap(({ terms }) => terms).filter((term) => !has(term)))];
}

test('synonyms of a query are those of the terms that it has', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const below = numbers(seed);
    const word = () => words[below(words.length)] as string;
    const all = Array.from({ length: below(6) }, () => ({
      terms: Array.from({ length: 1 + below(3) }, word),
      ...(below(3) === 0 && { from: word() }),
    }));
    const query = Array.from({ length: 1 + below(5) }, () =>
      below(2) === 0 ? word() : `  ${word().toUpperCase()} `,
    ).join(' ');
    expect(synonymsOfQuery(all, query), `${seed}: ${query}`).toEqual(plainly(all, query));
  }
});

test('terms of several words are phrases where an entry says so, sixteen at most', () => {
  const all = [
    { terms: ['film', ' motion  picture', 'movie'], phrases: true },
    { terms: ['film', 'moving picture'], phrases: false },
    { terms: ['film', 'talking picture'] },
  ];
  const expected = ['motion-picture', 'movie', 'moving picture', 'talking picture'];
  expect(synonymsOfQuery(all, 'a Film')).toEqual(expected);
  expect(synonymsOfQuery(all, 'motion picture')).toEqual(['film', 'movie']);
  const many = [{ from: 'a', terms: Array.from({ length: 20 }, (_, at) => `b c${at}`), phrases: true }];
  const asked = synonymsOfQuery(many, 'a');
  expect(asked).toHaveLength(20);
  expect(asked.map((term) => term.includes('-'))).toEqual([...Array(16).fill(true), ...Array(4).fill(false)]);
});

test('a query that names what must be there, or is long, has no synonyms', () => {
  const all = [{ terms: ['shoe', 'boot', '*'] }];
  expect(synonymsOfQuery(all, 'shoe')).toEqual(['boot', '*']);
  for (const query of ['"shoe"', '*', ' * ', '', `shoe ${'a'.repeat(1020)}`])
    expect(synonymsOfQuery(all, query)).toEqual([]);
  const many = [{ terms: ['a'] }, ...Array.from({ length: 60 }, (_, at) => ({ terms: [`b${at}`], from: 'a' }))];
  expect(synonymsOfQuery(many, 'a')).toHaveLength(50);
});

test('words are whole ones', () => {
  expect(['red boot', 'a red boot b'].map((query) => hasWords(query, 'red boot'))).toEqual([true, true]);
  expect(['red boots', 'ared boot'].map((query) => hasWords(query, 'red boot'))).toEqual([false, false]);
  expect(['red', 'red boot', 'reddish', 'a red'].map((query) => beginsWithWords(query, 'red'))).toEqual([
    ...[true, true, false, false],
  ]);
});

test('an address to redirect to is of the web, or a path', () => {
  for (const url of ['https://a.example', 'HTTP://a.example/b?c', '/help', '/'])
    expect(isRedirect(url), url).toBe(true);
  for (const url of ['//a.example', 'javascript:a', 'help', '', 'https://', '/a b', `/${'a'.repeat(2048)}`]) {
    expect(isRedirect(url), url).toBe(false);
  }
});
