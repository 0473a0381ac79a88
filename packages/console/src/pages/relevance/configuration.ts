import type { types } from '@pelorus/client';
import { t } from '../../strings/strings.js';

/** One of the two ways to search that are compared, as somebody writes it. */
export interface Configuration {
  readonly index: string;
  /** Members of a search, as JSON. */
  readonly text: string;
}

/** Members that the lab gives itself. */
const OWN = ['q', 'limit', 'offset', 'attributesToRetrieve', 'withCursor', 'cursor'];

/** The members of a search that a text has, or the reason that it has none. */
export function membersOf(text: string): { readonly members: object } | { readonly fault: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch (error) {
    return { fault: t.relevance.notJson((error as Error).message) };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { fault: t.form.notJson };
  const own = OWN.find((name) => Object.hasOwn(parsed, name));
  return own === undefined ? { members: parsed } : { fault: t.relevance.ownMember(own) };
}

/** The search of one query that asks for ids alone. */
export function searchOf(members: object, q: string, limit: number): types.SearchRequest {
  return { ...members, q, limit, attributesToRetrieve: [] };
}

type Preset = keyof typeof t.relevance.presets;

/** Texts to begin with, by their names among the strings. */
export const PRESETS: Readonly<Record<Preset, object>> = {
  words: { searchMethod: 'LEXICAL' },
  meaning: { searchMethod: 'TENSOR' },
  both: { searchMethod: 'HYBRID' },
  weighted: { searchMethod: 'HYBRID', hybridParameters: { alpha: 0.7 } },
  typos: { searchMethod: 'LEXICAL', typoTolerance: true },
  fields: { searchMethod: 'LEXICAL', searchableAttributes: ['title'] },
  numbers: {
    searchMethod: 'HYBRID',
    scoreModifiers: { add_to_score: [{ field_name: 'popularity', weight: 0.00001 }] },
    rerankDepth: 100,
  },
};

export const textOfPreset = (preset: Preset): string => JSON.stringify(PRESETS[preset], null, 2);
