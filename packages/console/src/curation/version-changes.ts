import { t } from '../strings/strings.js';
import type { Rule, Synonyms } from './curator.js';
import { defaultSentence } from './default-sentence.js';
import { ruleSentence } from './rule-sentence.js';
import { membersOf, type SearchDefaults } from './search-defaults.js';

/** All that is said of an index. */
interface Said {
  readonly rules: readonly Rule[];
  readonly synonyms: readonly Synonyms[];
  readonly searchDefaults?: SearchDefaults | undefined;
}

/** Differences of rules, synonyms and search defaults from those before, each in a sentence. */
export function changesBetween(before: Said, after: Said): readonly string[] {
  return [
    ...ruleChanges(before.rules, after.rules),
    ...synonymChanges(before.synonyms, after.synonyms),
    ...defaultChanges(before.searchDefaults, after.searchDefaults),
  ];
}

/** Differences of search defaults from those before, each in a sentence. */
export function defaultChanges(
  before: SearchDefaults | undefined,
  after: SearchDefaults | undefined,
): readonly string[] {
  const former = new Map(membersOf(before).map(({ name, value }) => [name, textOf(value)]));
  const now = membersOf(after);
  const gone = [...former.keys()].filter((name) => now.every((one) => one.name !== name));
  const made = now.flatMap((one) => {
    const text = former.get(one.name);
    if (text === textOf(one.value)) return [];
    return t.defaults[text === undefined ? 'added' : 'changed'](one.name, defaultSentence(one));
  });
  return [...gone.map(t.defaults.gone), ...made];
}

function ruleChanges(before: readonly Rule[], after: readonly Rule[]): readonly string[] {
  const former = new Map(before.map((rule) => [rule.id, textOf(rule)]));
  const ids = new Set(after.map(({ id }) => id));
  const gone = before.filter(({ id }) => !ids.has(id)).map(({ id }) => t.rules.removed(id));
  const made = after.flatMap((rule) => {
    const text = former.get(rule.id);
    if (text === undefined) return t.rules.added(rule.id, ruleSentence(rule));
    return text === textOf(rule) ? [] : t.rules.changed(rule.id, ruleSentence(rule));
  });
  const stayed = before.filter(({ id }) => ids.has(id)).map(({ id }) => id);
  const now = after.filter(({ id }) => former.has(id)).map(({ id }) => id);
  return [...gone, ...made, ...(textOf(stayed) === textOf(now) ? [] : [t.rules.reordered])];
}

function synonymChanges(before: readonly Synonyms[], after: readonly Synonyms[]): readonly string[] {
  const [former, now] = [before.map(textOf), after.map(textOf)];
  const changes = [
    ...before.filter((_, at) => !now.includes(former[at] ?? '')).map((one) => t.rules.synonymsRemoved(wordsOf(one))),
    ...after.filter((_, at) => !former.includes(now[at] ?? '')).map((one) => t.rules.synonymsAdded(wordsOf(one))),
  ];
  return changes.length > 0 || textOf(former) === textOf(now) ? changes : [t.rules.synonymsReordered];
}

function wordsOf({ from, terms, phrases }: Synonyms): string {
  const words = terms.join(', ');
  const told = from == null ? words : t.rules.oneWay(from, words);
  return phrases === true ? t.rules.asPhrases(told) : told;
}

/** The same text for the same value: members in any order, and none that is null, which is as good as absent. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member)
            .filter(([, one]) => one !== null)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : member,
  );
}
