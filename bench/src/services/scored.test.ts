import { expect, it } from 'vitest';
import { sameHits } from './changed-scores.ts';
import { OpenSearchScores } from './opensearch-scores.ts';
import { OurScores } from './our-scores.ts';
import { membersOf, modifiersOf, SCORE_KINDS, scoredDocuments, WORDS } from './scored.ts';
import { httpBody } from './wire.ts';

const ours = new OurScores(() => {
  throw new Error('no server runs');
});
const theirs = new OpenSearchScores(1);
const bodyOf = (bytes: Uint8Array) => httpBody(Buffer.from(bytes));

it('makes the same documents whatever range they are asked for in, each with every word', () => {
  const all = scoredDocuments(0, 20);
  expect([...scoredDocuments(0, 7), ...scoredDocuments(7, 20)]).toEqual(all);
  expect(new Set(all.map(({ text }) => text)).size).toBeGreaterThan(10);
  for (const { text } of all) for (const word of WORDS) expect(text.split(' ')).toContain(word);
  const [first] = all;
  expect(JSON.parse(`{${first && membersOf(first)}}`)).toMatchObject({ text: first?.text, n99: first?.numbers[99] });
});

it('changes scores by as many fields as a kind says, the first half by multiplying', () => {
  const counts = SCORE_KINDS.map((kind) => {
    const { multiply, add } = modifiersOf(kind);
    return [multiply.length, add.length];
  });
  expect(counts).toEqual([
    [0, 0],
    [1, 0],
    [5, 5],
    [50, 50],
    [0, 0],
  ]);
});

it('says the same to both services', () => {
  const search = (kind: (typeof SCORE_KINDS)[number]) => bodyOf(ours.search(kind, 'river').bytes);
  expect(search('plain')).not.toContain('score');
  expect(JSON.parse(search('1 modifier'))).toMatchObject({
    scoreModifiers: { multiply_score_by: [{ field_name: 'n0', weight: 1 }] },
  });
  const expressions = bodyOf(theirs.search('10 modifiers', 'river', 'expression').bytes);
  expect(expressions).toContain("_score * 1 * doc['n0'].value");
  expect(expressions).toContain("1 * doc['n4'].value + 0.02 * doc['n5'].value");
  const functions = bodyOf(theirs.search('10 modifiers', 'river', 'function_score').bytes);
  expect(functions.match(/field_value_factor/g)).toHaveLength(10);
  expect(search('recency')).toContain('"decayTo":0.5');
  expect(bodyOf(theirs.search('recency', 'river', 'function_score').bytes)).toContain('"decay":0.5');
});

it('counts the hits that both have', () => {
  expect(
    sameHits(
      [
        [1, 2],
        [3, 4],
      ],
      [
        [2, 1],
        [3, 5],
      ],
    ),
  ).toBe(0.75);
  expect(sameHits([[1]], [])).toBe(0);
});
