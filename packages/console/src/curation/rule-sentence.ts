import { formatZoned } from '../parts/moment.js';
import { formatNumber, t } from '../strings/strings.js';
import type { Rule } from './curator.js';

/** Most documents that a sentence names of those that a rule pins, and of those that it hides. */
const NAMED_MAX = 10;

/** A rule in a sentence: the searches that it is about, and what becomes of them. */
export function ruleSentence({ condition, consequence }: Rule): string {
  const conditions = [...queryCondition(condition), ...told(condition.filter, t.rules.filterIs)];
  const situation = [
    conditions.length === 0 ? t.rules.always : t.rules.when(conditions),
    ...told(condition.from, (moment) => t.rules.from(formatZoned(moment))),
    ...told(condition.until, (moment) => t.rules.until(formatZoned(moment))),
  ];
  const { pinned, hidden, filter, query, redirect } = consequence;
  return t.rules.sentence(situation, [
    ...pins(pinned ?? []),
    ...hides(hidden ?? []),
    ...told(filter, t.rules.filter),
    ...told(query, t.rules.searchFor),
    ...told(redirect, t.rules.redirect),
  ]);
}

function queryCondition({ query, match }: Rule['condition']): readonly string[] {
  if (match === 'contains') return told(query, t.rules.contains);
  return told(query, match === 'beginsWith' ? t.rules.beginsWith : t.rules.equals);
}

/** The words for a text; none where it is not there. */
const told = (value: unknown, words: (text: string) => string): readonly string[] =>
  value == null ? [] : [words(String(value))];

function pins(pinned: NonNullable<Rule['consequence']['pinned']>): readonly string[] {
  const named = pinned.slice(0, NAMED_MAX).map(({ _id, position }) => t.rules.pin(_id, formatNumber(position)));
  return pinned.length > NAMED_MAX ? [...named, t.rules.furtherPins(pinned.length - NAMED_MAX)] : named;
}

function hides(hidden: readonly string[]): readonly string[] {
  if (hidden.length === 0) return [];
  const further = hidden.length - NAMED_MAX;
  return [t.rules.hide([...hidden.slice(0, NAMED_MAX), ...(further > 0 ? [t.rules.further(further)] : [])])];
}
