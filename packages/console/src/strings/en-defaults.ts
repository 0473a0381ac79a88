import { plural } from './en-plural.js';

const inBrackets = (details: string): string => (details === '' ? '' : ` (${details})`);

/** The texts of the members that searches of an index have where they leave them out. */
export const defaults = {
  title: 'Search defaults',
  hint: 'Members that searches have where they do not name them. The relevance lab keeps those of the way that ranks better.',
  none: 'No search defaults yet',
  member: 'Member of the search',
  effect: 'Where a search does not name it',
  removeOf: (name: string) => `Remove the default of ${name}`,
  removed: (name: string) => `Searches have no default of ${name} any more`,
  notRemoved: 'The search default is not removed',
  added: (name: string, sentence: string) => `Search default of ${name} added. ${sentence}`,
  changed: (name: string, sentence: string) => `Search default of ${name} changed. ${sentence}`,
  gone: (name: string) => `Search default of ${name} removed`,
  times: (field: string, weight: string) => `in ${field} ${weight} times as much`,
  prefix: (words: string) =>
    ({ all: 'Every word also finds words that it begins.', last: 'The last word also finds words that it begins.' })[
      words
    ] ?? 'Words find whole words alone.',
  sentences: {
    fieldWeights: (weights: string) => `Words count ${weights === '' ? 'alike in all fields' : weights}.`,
    noStopWords: 'No words are left out of queries.',
    autoStopWords: 'Function words of the language of a query are left out of it.',
    stopWordsOf: (language: string) => `Function words of the language ${language} are left out of queries.`,
    stopWordList: (words: string) =>
      words === '' ? 'No words are left out of queries.' : `These words are left out of queries: ${words}.`,
    textRanking: (isOn: boolean, details: string) =>
      isOn ? `The best hits are ranked anew by their texts${inBrackets(details)}.` : 'Texts do not rank hits anew.',
    prefixOf: (fields: string) => `Words also find words that they begin, by field: ${fields}.`,
    typoTolerance: (isOn: boolean, details: string) =>
      isOn ? `Typos are forgiven${inBrackets(details)}.` : 'Typos are not forgiven.',
    splitJoinTokens: (isOn: boolean) =>
      isOn ? 'Words are also found in two parts, or in one.' : 'Words are found as they are divided.',
    decompound: (isOn: boolean) =>
      isOn ? 'Words also find compounds that they end.' : 'Words do not find compounds that they end.',
    didYouMean: (isOn: boolean) =>
      isOn ? 'Answers tell the query that may have been meant.' : 'Answers tell no other query.',
    phraseSlop: (moves: string) => `Words of a quoted phrase may be moved by ${moves}.`,
    language: (tag: string) => `Words of queries are those of the language ${tag}.`,
    alpha: (alpha: string) => `Meaning weighs ${alpha} in a search by both: 0 goes by words alone, 1 by meaning alone.`,
    rrfK: (k: string) => `Places in the two lists of a search by both are joined with k = ${k}.`,
    other: (name: string, value: string) => `${name} is ${value}.`,
  },
  /** Members of a search that no index holds. */
  others: {
    searchMethod: 'the method',
    searchableAttributes: 'the fields to search',
    filter: 'the filter',
    scoreModifiers: 'fields that change scores',
    rerankDepth: 'how many hits are ranked anew',
    reRanker: 'the model that ranks anew',
    boost: 'what vectors of a field count',
    relevanceCutoff: 'the cut-off',
    diversity: 'hits unlike each other',
    distances: 'distances',
    trackTotalHits: 'the count of all hits',
    facets: 'counts of values',
    sortBy: 'the order',
    collapseFields: 'variants as one hit',
    showHighlights: 'highlights',
    lexicalHighlights: 'marks of the words',
    context: 'vectors that are added',
    explain: 'parts of the score',
    rules: 'rules on or off',
    efSearch: 'how far the graph is searched',
    approximate: 'exact search or not',
    'hybridParameters.retrievalMethod': 'how a search by both finds',
    'hybridParameters.rankingMethod': 'how a search by both ranks',
    'hybridParameters.searchableAttributesLexical': 'the fields to search by words',
    'hybridParameters.searchableAttributesTensor': 'the fields to search by meaning',
    'hybridParameters.scoreModifiersLexical': 'fields that change scores by words',
    'hybridParameters.scoreModifiersTensor': 'fields that change scores by meaning',
  } as Readonly<Record<string, string>>,
  keep: {
    title: (side: string, index: string) => `Keep ${side} for ${index}`,
    hint: (index: string) => `In searches of ${index} that say nothing else:`,
    open: 'Keep for this index…',
    act: 'Keep for this index',
    openAnyway: 'Keep anyway…',
    actAnyway: 'Keep anyway',
    doubt: (side: string, count: number, least: number) =>
      `${side} is ahead by ${plural(count, 'query', 'queries')} with a relevant document, which may be chance. Below ${least} nobody can tell.`,
    sure: (index: string) =>
      `Searches of ${index} follow it at once, as a new version of its rules that can be rolled back. This changes:`,
    done: (index: string) => `Searches of ${index} have the members from now on`,
    failed: 'The members are not kept',
    isKept: (side: string, index: string) =>
      `All members of ${side} that an index can hold are search defaults of ${index}.`,
    nothing: (side: string) => `Nothing that ${side} names can be kept for an index.`,
    others: (names: string) => `Not kept, so that searches still have to name them: ${names}.`,
    seen: 'Rules and search defaults of this index',
  },
};
