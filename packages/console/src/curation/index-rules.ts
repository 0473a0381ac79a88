import { type Arrangement, isSameQuery, NO_ARRANGEMENT } from './arrangement.js';
import type { Change, Choices, Rule, Synonyms } from './curator.js';
import type { SearchDefaults } from './search-defaults.js';

export interface Curation {
  readonly version: number;
  readonly rules: readonly Rule[];
  readonly synonyms: readonly Synonyms[];
  /** Members that searches have where they leave them out; absent where there are none. */
  readonly searchDefaults?: SearchDefaults | undefined;
}

/** The choices about the searches of an index, together with the rules that they are kept in. */
export interface IndexChoices extends Choices {
  readonly rules: readonly Rule[];
}

const RULE_ID_MAX = 128;

/** The choices that rules and synonyms are. */
export function choicesOf({ version, rules, synonyms, searchDefaults }: Curation): IndexChoices {
  // A change is made to the first of a query; others about it stand with those that are shown as they are.
  const first = rules.filter((rule) => ruleOf(rules, rule.condition.query ?? '') === rule);
  const isWhole = ({ consequence }: Rule) =>
    Object.entries(consequence).every(([name, value]) => value == null || EDITED.has(name));
  return {
    ...{ version, rules, synonyms, searchDefaults },
    queries: first.map(({ condition, consequence }) => ({
      query: condition.query ?? '',
      arrangement: arrangementOf(consequence),
    })),
    ids: rules.map(({ id }) => id),
    others: rules.filter((rule) => !first.includes(rule) || !isWhole(rule)),
  };
}

/** The first rule about all searches of a query, and no others. */
function ruleOf(rules: readonly Rule[], query: string): Rule | undefined {
  return rules.find((rule) => isOfQuery(rule) && isSameQuery(rule.condition.query ?? '', query));
}

const EDITED: ReadonlySet<string> = new Set(['pinned', 'hidden', 'redirect']);

/** Tells whether a rule is about all searches of one query, and about no others. */
function isOfQuery({ condition }: Rule): boolean {
  const { query, match, ...others } = condition;
  const isPlain = Object.values(others).every((value) => value == null);
  return query != null && (match == null || match === 'equals') && isPlain;
}

function arrangementOf({ pinned, hidden, redirect }: Rule['consequence']): Arrangement {
  return {
    pinned: (pinned ?? []).map(({ _id: id, position }) => ({ id, position })),
    hidden: hidden ?? [],
    redirect: redirect ?? '',
  };
}

/** The curation of an index after a change, as it is sent: with all that the change is not about. */
export function changedCuration(
  { rules, synonyms, searchDefaults }: Omit<Curation, 'version'>,
  change: Change,
): Omit<Curation, 'version'> {
  if ('searchDefaults' in change) return { rules, synonyms, ...withDefaults(change.searchDefaults) };
  const others = { rules, synonyms, ...withDefaults(searchDefaults) };
  if ('synonyms' in change) return { ...others, synonyms: change.synonyms };
  if ('without' in change) return { ...others, rules: rules.filter(({ id }) => id !== change.without) };
  if ('rule' in change) return { ...others, rules: withRule(rules, change.rule, change.former) };
  return { ...others, rules: withArrangement(rules, change.query, change.arrangement) };
}

const withDefaults = (searchDefaults: SearchDefaults | undefined) => searchDefaults !== undefined && { searchDefaults };

function withArrangement(rules: readonly Rule[], query: string, arrangement: Arrangement): readonly Rule[] {
  const former = ruleOf(rules, query);
  const consequence = consequenceOf(arrangement, former?.consequence ?? {});
  const isEmpty = Object.keys(consequence).length === 0;
  if (former !== undefined) {
    const next = { ...former, consequence };
    return isEmpty ? rules.filter((one) => one !== former) : rules.map((one) => (one === former ? next : one));
  }
  if (isEmpty) return rules;
  // In front: of rules that say the same thing the first counts, and one of a whole query says it most closely.
  return [{ id: newId(query, rules), condition: { query }, consequence }, ...rules];
}

/** A new rule stands behind all others, one that was changed where it stood. */
function withRule(rules: readonly Rule[], rule: Rule, former: string | undefined): readonly Rule[] {
  const isThere = rules.some(({ id }) => id === former);
  return isThere ? rules.map((one) => (one.id === former ? rule : one)) : [...rules, rule];
}

/** Other consequences of the rule stay. */
function consequenceOf({ pinned, hidden, redirect }: Arrangement, former: Rule['consequence']): Rule['consequence'] {
  const others = Object.fromEntries(
    Object.entries(former).filter(([name, value]) => !EDITED.has(name) && value != null),
  );
  return {
    ...others,
    ...(pinned.length > 0 && { pinned: pinned.map(({ id, position }) => ({ _id: id, position })) }),
    ...(hidden.length > 0 && { hidden }),
    ...(redirect !== NO_ARRANGEMENT.redirect && { redirect }),
  };
}

/** A name that no rule has. */
function newId(query: string, rules: readonly Rule[]): string {
  const ids = new Set(rules.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : ` ${number}`;
    const id = `${query.trim().slice(0, RULE_ID_MAX - 8)}${end}`;
    if (!ids.has(id)) return id;
  }
}
