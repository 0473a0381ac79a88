/** Numbers in [0, 1), the same for the same seed. */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const oneOf = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

const vector = { customVector: { vector: [1, 0], content: 'dogs' } };
const modifiers = [
  { add_to_score: [{ field_name: 'n', weight: 2 }] },
  { multiplyScoreBy: [{ fieldName: 'm.k' }], addToScore: null },
];
const hybridMembers: Readonly<Record<string, readonly unknown[]>> = {
  retrievalMethod: ['disjunction', 'tensor', 'Lexical'],
  rankingMethod: ['rrf', 'TENSOR', 'lexical'],
  alpha: [0, 0.3, 1],
  rrfK: [0, 60],
  searchableAttributesTensor: [['v'], [], ['*']],
  searchableAttributesLexical: [['title'], []],
  queryTensor: ['dogs', { dogs: 1, cats: -0.5 }],
  queryLexical: ['dogs "cats"'],
  lexicalOperand: ['or', 'and', 'weakAnd'],
  verbose: [true],
  scoreModifiersTensor: modifiers,
  scoreModifiersLexical: modifiers,
  rerankDepthTensor: [0, 10],
  rerankDepthLexical: [1, 10],
  rerankCount: [1, 10],
  weakAndParameters: [{ stopwordLimit: 0.5, allowDropAll: true }, {}],
  secondPhaseModifier: [true, false],
};

/** The possible values of each member of a search; not all of them go together. */
const members: Readonly<Record<string, readonly unknown[]>> = {
  q: ['dogs', '*', '"dogs" cats', { dogs: 1, 7: -0.5 }, vector, { customVector: { vector: [0.6, 0.8] } }, null],
  limit: [1, 10, '3'],
  offset: [0, 2],
  withCursor: [true, false],
  cursor: ['nobody'],
  filter: ['n:[1 TO *]', 'NOT title:dogs OR _id IN (a, b)', 'title:(dogs) AND n:1'],
  searchableAttributes: [['v'], ['title'], [], ['*']],
  attributesToRetrieve: [['title'], [], ['_id', 'm']],
  showHighlights: [true, 'false'],
  highlight: [true, false],
  explain: [true, false],
  prefix: ['last', 'all', { title: 'last' }],
  typoTolerance: [true, { oneTypoFrom: 3, fields: { title: false } }],
  splitJoinTokens: [true, false],
  textRanking: [true, false, {}, { exactness: 0, fields: ['title'], candidates: 2 }],
  stopWords: ['auto', 'de', ['dogs', 'The'], []],
  fieldWeights: [{ title: 3 }, { title: 0.5, nobody: 2 }, {}],
  didYouMean: [true, false],
  decompound: [true, false],
  phraseSlop: [0, 2, 100],
  lexicalHighlights: [true, { fields: ['title'], fragmentSize: 20, numberOfFragments: 2, preTag: '<b>' }],
  searchMethod: ['TENSOR', 'lexical', 'HYBRID', 'HYBRID', null],
  efSearch: [1, 100],
  approximate: [true, false],
  approximateThreshold: [0, 0.5],
  interpolationMethod: ['lerp', 'nlerp', 'slerp'],
  textQueryPrefix: ['query: '],
  context: [
    { tensor: [{ vector: [1, 0], weight: 1 }] },
    { documents: { ids: { a: 1, 5: 0.5 }, parameters: { tensorFields: ['v'], allowMissingDocuments: true } } },
    { tensor: [{ vector: [0, 1], weight: -1 }], documents: { ids: { b: 1 } }, note: 1 },
  ],
  modelAuth: [{ hf: { token: 'x' } }],
  mediaDownloadHeaders: [{ a: 'b' }],
  image_download_headers: [{ a: 'b' }, {}],
  reRanker: ['owl/ViT-B/32'],
  boost: [{ v: [2, -0.5] }, { title: [1] }, { v: [1, 2, 3] }, {}],
  scoreModifiers: modifiers,
  rerankDepth: [0, 5],
  facets: [
    { fields: { title: { type: 'string', maxResults: 2 } }, maxDepth: 5 },
    { fields: { n: { type: 'number', ranges: [{ to: 1 }, { from: 1, name: 'more' }] } }, order: 'asc' },
    { fields: { n: { type: 'number', excludeTerms: ['title:dogs'] } } },
    {
      fields: { n: { type: 'date', interval: 'week' }, title: { type: 'date', ranges: [{ from: '1970', to: 2024 }] } },
    },
  ],
  trackTotalHits: [true, false],
  language: ['en', 'xx'],
  sortBy: [
    { fields: [{ fieldName: 'n', order: 'asc', missing: 'first' }], sortDepth: 2 },
    { fields: [{ field_name: 'n', type: 'date' }] },
  ],
  relevanceCutoff: [
    { method: 'gap_detection', probeDepth: 5 },
    { method: 'mean_std_dev', parameters: { stdDevFactor: 0.5 }, affectFacets: true },
    { method: 'relative_max_score', parameters: { relativeScoreFactor: 0.5 }, applyInRetrieval: 'tensor' },
  ],
  diversity: [{}, { lambda: 0.2, candidates: 3 }, { lambda: 1 }],
  lateInteraction: [
    {
      fieldName: 'm',
      vectors: [
        [0.5, -1.25],
        [0.75, 2],
      ],
    },
    { fieldName: 'm', vectors: [[1, 2]], candidates: 3 },
  ],
  sparseQuery: [{ fieldName: 's', indices: [1, 7], values: [1, 0.5] }],
  collapseFields: [
    [{ name: 'sku' }],
    [{ name: 'sku', groupCount: true }],
    [{ name: 'sku', groupLimit: 3 }],
    [{ name: 'sku', sortBy: { fields: [{ fieldName: 'n' }] } }],
    [],
  ],
  pinned: [
    [{ _id: 'b', position: 1 }],
    [
      { _id: 'nobody', position: 3 },
      { _id: 'a', position: '2' },
    ],
    [],
  ],
  hidden: [['a'], ['a', 'nobody'], []],
  recencyParameters: [
    { recencyField: 'n', scale: '1d', decayTo: 0.5, applyInRankingPhase: 'exclude-global' },
    { recency_field: 'n', center: 5, applyToSubqueries: ['tensor'], addToScoreWeight: 2 },
    { recencyField: 'n', growFrom: 0.5, growFunction: 'linear', growScale: '1d', growOffset: '0h' },
  ],
};

export type Body = Record<string, unknown>;

/** A body of a few members, each by itself as it may be. */
export function randomBody(random: Random): Body {
  const share = 0.3 * random() ** 3;
  const body: Body = {};
  for (const [name, values] of Object.entries(members)) {
    if (random() < (name === 'q' || name === 'searchMethod' ? 0.85 : share)) body[name] = oneOf(random, values);
  }
  if (random() < 0.25) {
    const some = Object.entries(hybridMembers).filter(() => random() < 0.2);
    body.hybridParameters = Object.fromEntries(some.map(([name, values]) => [name, oneOf(random, values)]));
  }
  return structuredClone(body);
}

/** Values that are wrong nearly everywhere, some by their kind and some by their size. */
const wrongs: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e300, 2 ** 53, '', 'x', '\u0000', '\ud800', '🎉'.repeat(300), '-', '1e999'],
  ...[[], {}, [null], [[]], ['x', 'x'], { a: 1 }, { '': null }, { ['__proto__']: 1 }, Array(70).fill('x')],
  ...[JSON.parse('{"__proto__":{"a":1},"constructor":5}'), Array(200).fill({ zzz: 1 })],
];

/**
 * Spoils one place of `body`, at any depth: another value, one less or one too many. Returns the members on the way to
 * that place, which may be the one that was taken away or added.
 */
export function spoil(body: Body, random: Random): string[] {
  const names = Object.keys(body);
  if (names.length === 0 || random() < 0.2) return [addTo(body, random)];
  const path = [oneOf(random, names)];
  let [holder, key]: [Record<string, unknown>, string] = [body, path[0] as string];
  while (random() < 0.7) {
    const inner = holder[key];
    if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) break;
    holder = inner as Record<string, unknown>;
    key = oneOf(random, Object.keys(holder));
    path.push(key);
  }
  const change = random();
  if (change < 0.15) delete holder[key];
  else if (change < 0.3 && holder !== body) addTo(holder, random);
  else holder[key] = structuredClone(oneOf(random, wrongs));
  return path;
}

function addTo(holder: Record<string, unknown>, random: Random): string {
  const name = oneOf(random, ['zzz', 'hybridParameters', 'max_results', ...Object.keys(members)]);
  holder[name] = structuredClone(oneOf(random, wrongs));
  return name;
}
