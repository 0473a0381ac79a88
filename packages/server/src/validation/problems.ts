import type { Problem } from '@pelorus/contract';
import { truncated } from '@pelorus/contract';

/** Most problems that one answer lists; values behind them are not looked at any more. */
export const PROBLEMS_MAX = 100;

/** The place of a value: a chain of keys, so that a path is only spelt out when something is wrong there. */
export interface Place {
  readonly parent: Place | null;
  key: string | number;
}

export function placeOf(key: string): Place {
  return { parent: null, key };
}

export function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | null = place; at !== null; at = at.parent) {
    path.push(typeof at.key === 'string' ? truncated(at.key) : at.key);
  }
  return path.reverse();
}

/** Wordings of the kinds of wrong values, as clients of this interface have seen them. */
const wordings = {
  'value_error.missing': 'field required',
  'value_error.extra': 'extra fields not permitted',
  'type_error.none.not_allowed': 'none is not an allowed value',
  type_error: 'str type expected',
  'type_error.integer': 'value is not a valid integer',
  'type_error.float': 'value is not a valid float',
  'type_error.str': 'str type expected',
  'type_error.dict': 'value is not a valid dict',
  'type_error.list': 'value is not a valid list',
  'type_error.sequence': 'value is not a valid sequence',
  'type_error.bool': 'value could not be parsed to a boolean',
} as const;

export type WordingKind = keyof typeof wordings;

export function wrong(type: WordingKind, place: Place): Problem {
  return { loc: pathOf(place), msg: wordings[type], type };
}

/** Members that an object does not take, where even their names may be secrets: only what it takes is named. */
export function hiddenExtra(permitted: readonly string[], place: Place): Problem {
  const problem = wrong('value_error.extra', place);
  return { ...problem, msg: `${problem.msg}; permitted: ${permitted.map((name) => `'${name}'`).join(', ')}` };
}

export function notInEnum(permitted: readonly unknown[], place: Place): Problem {
  const values = permitted.filter((value) => value !== null);
  const listed = values.map((value) => `'${value}'`).join(', ');
  return {
    loc: pathOf(place),
    msg: `value is not a valid enumeration member; permitted: ${listed}`,
    type: 'type_error.enum',
    ctx: { enum_values: values },
  };
}

const comparisons = {
  'number.not_gt': 'greater than',
  'number.not_ge': 'greater than or equal to',
  'number.not_le': 'less than or equal to',
} as const;

export function outOfBounds(kind: keyof typeof comparisons, limit: number, place: Place): Problem {
  return {
    loc: pathOf(place),
    msg: `ensure this value is ${comparisons[kind]} ${limit}`,
    type: `value_error.${kind}`,
    ctx: { limit_value: limit },
  };
}

export function wrongCount(kind: 'min_items' | 'max_items', limit: number, place: Place): Problem {
  return {
    loc: pathOf(place),
    msg: `ensure this value has at ${kind === 'min_items' ? 'least' : 'most'} ${limit} items`,
    type: `value_error.list.${kind}`,
    ctx: { limit_value: limit },
  };
}

/**
 * The message of a member that has a code of its own: its name, and the problems as they are placed within it. Where
 * the whole body has one, `loc` being its own, the problems in words, as where it has none.
 */
export function refusalText(loc: readonly (string | number)[], problems: readonly Problem[]): string {
  if (loc.length === 1) {
    const placed = problems.map((problem) => ({ ...problem, path: problem.loc.filter((name) => name !== '__root__') }));
    return placed.map(({ path, msg }) => `${[...loc, ...path].join('.')}: ${msg}`).join('; ');
  }
  return `Error validating ${snakeCase(String(loc.at(-1)))}: ${problemsText(problems)}`;
}

/** A name as Python spells it, which is how messages of this interface name members of objects. */
export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Problems as the JSON that some messages are: blanks after commas and colons, nothing outside ASCII. */
export function problemsText(problems: readonly Problem[]): string {
  return spaced(problems);
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, member]) => `${spaced(name)}: ${spaced(member)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A rule in words, on the value at `loc`. */
export function broken(loc: readonly (string | number)[], msg: string): Problem {
  return { loc, msg, type: 'value_error' };
}

/** A rule that several members of the body break together. */
export function brokenTogether(msg: string): Problem {
  return broken(['body', '__root__'], msg);
}
