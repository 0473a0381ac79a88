import { t } from '../strings/strings.js';
import type { DefaultMember } from './search-defaults.js';

/** Most fields and words that a sentence names. */
const NAMED_MAX = 10;

/** A search default in a sentence: what searches do that do not say it themselves. */
export function defaultSentence({ name, value }: DefaultMember): string {
  const { sentences } = t.defaults;
  switch (name) {
    case 'fieldWeights':
      return sentences.fieldWeights(listed(entriesOf(value).map(([field, weight]) => t.defaults.times(field, weight))));
    case 'stopWords':
      return Array.isArray(value) ? sentences.stopWordList(listed(value.map(String))) : stopWords(String(value));
    case 'textRanking':
      return sentences.textRanking(value !== false, value === true ? '' : details(value));
    case 'prefix':
      return typeof value === 'string' ? t.defaults.prefix(value) : sentences.prefixOf(details(value));
    case 'typoTolerance':
      return sentences.typoTolerance(value !== false, value === true ? '' : details(value));
    case 'splitJoinTokens':
    case 'decompound':
    case 'didYouMean':
      return sentences[name](value === true);
    case 'phraseSlop':
    case 'language':
      return sentences[name](String(value));
    case 'hybridParameters.alpha':
      return sentences.alpha(String(value));
    case 'hybridParameters.rrfK':
      return sentences.rrfK(String(value));
    default:
      return sentences.other(name, JSON.stringify(value));
  }
}

/** A member of a search that no index holds, in words where there are some. */
export const memberInWords = (name: string): string =>
  Object.hasOwn(t.defaults.others, name) ? `${t.defaults.others[name]} (${name})` : name;

function stopWords(which: string): string {
  if (which === 'none') return t.defaults.sentences.noStopWords;
  return which === 'auto' ? t.defaults.sentences.autoStopWords : t.defaults.sentences.stopWordsOf(which);
}

const entriesOf = (value: unknown): [string, string][] =>
  Object.entries(value as object).map(([name, one]) => [
    name,
    typeof one === 'object' ? JSON.stringify(one) : String(one),
  ]);

/** The members of an object, as `proximity 1, fields ["title"]`. */
const details = (value: unknown): string =>
  value === false ? '' : listed(entriesOf(value).map(([name, one]) => `${name} ${one}`));

function listed(parts: readonly string[]): string {
  const further = parts.length - NAMED_MAX;
  return [...parts.slice(0, NAMED_MAX), ...(further > 0 ? [t.rules.further(further)] : [])].join(', ');
}
