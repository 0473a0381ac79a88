const SEARCHES: readonly { says: string; body: Record<string, unknown> }[] = [
  {
    says: 'By meaning: no product has these words in its title',
    body: { q: 'something to keep me warm on a snowy mountain', limit: 3 },
  },
  {
    says: 'By words: BM25, with one term required',
    body: { q: '"kettle" tea', searchMethod: 'LEXICAL', limit: 3 },
  },
  {
    says: 'By meaning, among what a filter lets through',
    body: {
      q: 'a present for a child who likes science',
      filter: 'category:(Toys and games) AND price:[* TO 40] AND stock:[1 TO *]',
      limit: 3,
    },
  },
  {
    says: 'Both at once, fused by rank',
    body: {
      q: 'waterproof hiking boots',
      searchMethod: 'HYBRID',
      hybridParameters: { retrievalMethod: 'disjunction', rankingMethod: 'rrf', alpha: 0.6 },
      limit: 3,
    },
  },
];

const RETRIEVED = ['title', 'price'];

/**
 * One line of curl for each way to search, ready to paste into a shell.
 * @param takesKey whether they take a key, from the variable that has it
 */
export function sampleSearches(address: string, index: string, takesKey: boolean): string {
  const key = takesKey ? ` -H "x-api-key: $PELORUS_API_KEY"` : '';
  const lines = SEARCHES.map(({ says, body }) => {
    const json = JSON.stringify({ ...body, attributesToRetrieve: RETRIEVED });
    return `# ${says}\ncurl -s ${address}/indexes/${index}/search -H 'Content-Type: application/json'${key} -d '${json}'\n`;
  });
  return ['Try it:', ...lines].join('\n');
}
