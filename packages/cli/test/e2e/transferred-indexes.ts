import { Random } from '../../src/demo/random.js';

const SEED = 11;
/** Documents of each index. */
export const COUNT = 300;

const WORDS = ['red', 'green.', 'blue', 'ship', 'north', 'wind.', '"quoted"', 'über', 'a\u2028b'];

/** An index of one type with documents of every type of field. */
export interface Kind {
  readonly name: string;
  readonly settings: object;
  readonly rest: object;
  /** Members beside those of every document, as JSON. */
  readonly members: (random: Random) => string;
}

const weights = { title: 0.3, body: -1.5 };
const textPreprocessing = { splitLength: 1, splitOverlap: 0, splitMethod: 'sentence' };
const vector = (random: Random) => JSON.stringify(Array.from({ length: 32 }, () => random.next() - 0.5));
const own = (random: Random) => `{"vector":${vector(random)},"content":"own ${random.int(0, 9)}"}`;

export const kinds: readonly Kind[] = [
  {
    name: 'unstructured',
    settings: { model: 'random/small', textPreprocessing, textChunkPrefix: 'chunk: ', textQueryPrefix: 'query: ' },
    rest: {
      tensorFields: ['title', 'both', 'own'],
      mappings: { own: { type: 'custom_vector' }, both: { type: 'multimodal_combination', weights } },
    },
    members: (random) => `"map":{"a":${random.next()},"b c":${random.int(0, 5)}},"tags":["x","${random.int(0, 3)}"]`,
  },
  {
    name: 'structured',
    settings: {
      type: 'structured',
      model: 'random/small',
      vectorNumericType: 'bfloat16',
      textPreprocessing,
      allFields: [
        { name: 'title', type: 'text', features: ['lexical_search'] },
        { name: 'body', type: 'text', features: ['lexical_search', 'filter'] },
        { name: 'own', type: 'custom_vector' },
        { name: 'both', type: 'multimodal_combination', dependentFields: weights },
        { name: 'number', type: 'long', features: ['filter'] },
        { name: 'share', type: 'double', features: ['filter', 'score_modifier'] },
        { name: 'truth', type: 'bool', features: ['filter'] },
        { name: 'longs', type: 'array<long>', features: ['filter'] },
        { name: 'map', type: 'map<text, float>', features: ['score_modifier'] },
      ],
      tensorFields: ['title', 'own', 'both'],
    },
    rest: {},
    members: (random) => `"map":{"a":${random.next()}},"longs":[${random.int(0, 5)},9007199254740993]`,
  },
];

/** Documents of every type of field, as JSON; not all of them have all. */
export function documentsOf({ members }: Kind): string[] {
  const random = new Random(SEED);
  const words = () => Array.from({ length: random.int(1, 12) }, () => WORDS[random.int(0, WORDS.length - 1)]).join(' ');
  return Array.from({ length: COUNT }, (_, at) => {
    const all = [
      `"title":${JSON.stringify(words())}`,
      `"body":${JSON.stringify(words())}`,
      `"own":${own(random)}`,
      `"number":${9007199254740993n + BigInt(at)}`,
      `"share":${random.int(0, 9)}.0`,
      `"truth":${random.chance(0.5)}`,
      members(random),
    ];
    return `{"_id":"d${at}",${all.filter(() => random.chance(0.8)).join(',') || '"truth":true'}}`;
  });
}

const approximate = false;
/** Searches of every kind, each of which finds something. */
export const searches: readonly object[] = [
  ...['title', 'own', 'both'].map((name) => ({ q: 'north wind', approximate, searchableAttributes: [name] })),
  { q: 'red ship', approximate, limit: 50 },
  { q: 'red "quoted"', searchMethod: 'LEXICAL', limit: COUNT },
  { q: 'blue', searchMethod: 'HYBRID', approximate, filter: 'truth:true AND share:[2 TO 7]' },
  { q: '*', filter: 'number:[9007199254741000 TO 9007199254741100]', limit: COUNT, searchMethod: 'LEXICAL' },
  { q: { customVector: { vector: Array.from({ length: 32 }, (_, at) => at - 16) } }, approximate },
];
