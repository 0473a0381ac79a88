import type { types } from '@pelorus/client';

/** The members that searches of an index have where they leave them out. */
export type SearchDefaults = types.SearchDefaults;

/** The members that an index can hold, in the order in which they are told. */
const OF_WORDS: Readonly<Record<Exclude<keyof SearchDefaults, 'hybridParameters'>, true>> = {
  fieldWeights: true,
  stopWords: true,
  textRanking: true,
  prefix: true,
  typoTolerance: true,
  splitJoinTokens: true,
  decompound: true,
  phraseSlop: true,
  didYouMean: true,
  language: true,
};
const OF_FUSION: Readonly<Record<keyof types.DefaultHybridParameters, true>> = { alpha: true, rrfK: true };
const HYBRID = 'hybridParameters';

/** A member by itself; `hybridParameters.alpha` is one. */
export interface DefaultMember {
  readonly name: string;
  readonly value: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** The members of a search, or of defaults, that an index can hold. */
export function membersOf(search: Members | SearchDefaults | undefined): readonly DefaultMember[] {
  const members: Members = { ...search };
  const fusion = insideOf(members[HYBRID]);
  return [
    ...Object.keys(OF_WORDS).map((name) => ({ name, value: members[name] })),
    ...Object.keys(OF_FUSION).map((name) => ({ name: `${HYBRID}.${name}`, value: fusion[name] })),
  ].filter(({ value }) => value != null);
}

/** The names of the members of a search that no index holds: each search has to name them. */
export function otherMembers(search: Members): readonly string[] {
  const said = (members: Members, known: object) =>
    Object.keys(members).filter((name) => members[name] != null && !Object.hasOwn(known, name));
  const fusion = said(insideOf(search[HYBRID]), OF_FUSION).map((name) => `${HYBRID}.${name}`);
  return [...said(search, { ...OF_WORDS, [HYBRID]: true }), ...fusion];
}

/** The defaults that members are; undefined where there are none. */
export function defaultsOf(members: readonly DefaultMember[]): SearchDefaults | undefined {
  if (members.length === 0) return undefined;
  const defaults: Record<string, unknown> = {};
  const fusion: Record<string, unknown> = {};
  for (const { name, value } of members) {
    if (name.startsWith(`${HYBRID}.`)) fusion[name.slice(HYBRID.length + 1)] = value;
    else defaults[name] = value;
  }
  return { ...defaults, ...(Object.keys(fusion).length > 0 && { [HYBRID]: fusion }) };
}

/** Defaults with further members, in place of those of the same names. */
export function withMembers(
  defaults: SearchDefaults | undefined,
  added: readonly DefaultMember[],
): SearchDefaults | undefined {
  const names = new Set(added.map(({ name }) => name));
  return defaultsOf([...membersOf(defaults).filter(({ name }) => !names.has(name)), ...added]);
}

const insideOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? { ...value } : {});
