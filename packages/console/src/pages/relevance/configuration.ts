import type { types } from '@pelorus/client';
import type { KnownField } from '../../documents/fields.js';
import { isTitle } from '../../documents/title.js';
import { t } from '../../strings/strings.js';

/** One of the two ways to search that are compared, as somebody writes it. */
export interface Way {
  readonly index: string;
  /** Members of a search, as JSON. */
  readonly text: string;
}

/** Two ways to search that are stored with a set, by a name. */
export type Configuration = types.JudgementSet['configurations'][number];

/** Bounds of the interface, told before something is sent that it refuses. */
export const CONFIGURATIONS_MAX = 20;
export const NAME_LENGTH_MAX = 100;
const SEARCH_LENGTH_MAX = 16_384;

/** Members that hold secrets, without their capitals and underscores: no set stores them. */
const SECRETS = ['modelauth', 'mediadownloadheaders', 'imagedownloadheaders'];

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

/** A way to search as the server takes it, or the reason that it is none. */
type ReadWay = (Configuration['first'] & { readonly fault?: undefined }) | { readonly fault: string };

/** @param faultOf finds what else is wrong with the members of a search */
export function readWay({ index, text }: Way, faultOf?: (search: object) => string | undefined): ReadWay {
  if (index === '') return { fault: t.relevance.noIndex };
  const read = membersOf(text);
  if ('fault' in read) return read;
  const fault = faultOf?.(read.members);
  return fault === undefined ? { index, search: { ...read.members } } : { fault };
}

/** The reason that no set stores the members of a search; undefined where one can. */
export function storingFault(members: object): string | undefined {
  const secret = Object.keys(members).find((name) => SECRETS.includes(name.replaceAll('_', '').toLowerCase()));
  if (secret !== undefined) return t.relevance.secretMember(secret);
  return JSON.stringify(members).length > SEARCH_LENGTH_MAX ? t.relevance.searchLong : undefined;
}

/** The ways to search of a configuration, as somebody would have written them. */
export function waysOf({ first, second }: Configuration): readonly [Way, Way] {
  const written = ({ index, search }: Configuration['first']): Way => ({
    index,
    text: JSON.stringify(search, null, 2),
  });
  return [written(first), written(second)];
}

/** The search of one query that asks for ids alone. */
export function searchOf(members: object, q: string, limit: number): types.SearchRequest {
  return { ...members, q, limit, attributesToRetrieve: [] };
}

export type Preset = keyof typeof t.relevance.presets;

const BY_MEANING: readonly Preset[] = ['meaning', 'both', 'weighted'];

/** The presets that fit an index: those by meaning are none of one that words alone search. */
export const presetsFor = (hasMeaning: boolean): readonly Preset[] =>
  (Object.keys(t.relevance.presets) as Preset[]).filter((preset) => hasMeaning || !BY_MEANING.includes(preset));

/** A text field and a field of numbers of an index, which some presets are about. */
export interface PresetFields {
  readonly text?: string | undefined;
  readonly number?: { readonly name: string; readonly most: number } | undefined;
  /** False for an index that words alone search; true when absent. */
  readonly hasMeaning?: boolean;
}

/** The fields that presets take of those that an index has: the one that names a document, else the first text. */
export function presetFields(fields: readonly KnownField[], hasMeaning = true): PresetFields {
  const texts = fields.filter(({ kind }) => kind === 'text').map(({ name }) => name);
  const number = fields.find(({ kind }) => kind === 'number');
  return {
    hasMeaning,
    text: texts.find(isTitle) ?? texts[0],
    number: number && { name: number.name, most: Math.max(...number.values.map((value) => Math.abs(Number(value)))) },
  };
}

/** Texts to begin with, by their names among the strings; undefined where the index has no field for one. */
export function presetsOf({
  text,
  number,
  hasMeaning = true,
}: PresetFields): Readonly<Record<Preset, object | undefined>> {
  return {
    words: { searchMethod: 'LEXICAL' },
    meaning: { searchMethod: 'TENSOR' },
    both: { searchMethod: 'HYBRID' },
    weighted: { searchMethod: 'HYBRID', hybridParameters: { alpha: 0.7 } },
    typos: { searchMethod: 'LEXICAL', typoTolerance: true },
    fields: text === undefined ? undefined : { searchMethod: 'LEXICAL', searchableAttributes: [text] },
    fieldWeights: text === undefined ? undefined : { searchMethod: 'LEXICAL', fieldWeights: { [text]: 3 } },
    numbers: number && withNumber(number, hasMeaning),
  };
}

/** The greatest value adds about as much as a first place does to a score of HYBRID, 1/61, or up to 1 to one of words. */
function withNumber({ name, most }: NonNullable<PresetFields['number']>, hasMeaning: boolean): object {
  const digits = Math.ceil(Math.log10(Math.max(most, 1)));
  const added = (weight: number) => ({ add_to_score: [{ field_name: name, weight }] });
  return hasMeaning
    ? { searchMethod: 'HYBRID', scoreModifiers: added(10 ** -(digits + 2)), rerankDepth: 100 }
    : { searchMethod: 'LEXICAL', scoreModifiers: added(10 ** -digits) };
}

export const textOfPreset = (preset: Preset, fields: PresetFields = {}): string =>
  JSON.stringify(presetsOf(fields)[preset] ?? {}, null, 2);
