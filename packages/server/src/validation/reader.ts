import { type JsonSchema, PelorusError, type Problem } from '@pelorus/contract';
import {
  hiddenExtra,
  notInEnum,
  outOfBounds,
  type Place,
  PROBLEMS_MAX,
  pathOf,
  placeOf,
  refusalText,
  type WordingKind,
  wrong,
  wrongCount,
} from './problems.js';
import { readBoolean, readInteger, readNumber, readString, unreadable } from './scalars.js';
import { spellerOf, speltName } from './spelling.js';

/**
 * Checks `value` against a schema and returns it with scalars of another spelling converted and defaults filled in.
 * Objects and arrays are changed in place. Faults go to `problems`; the result then means nothing.
 * @throws PelorusError for a wrong value whose schema names a code of its own (`x-refused-as`)
 */
export type Reader = (value: unknown, place: Place, problems: Problem[]) => unknown;

/** Prepares the check of `schema`; done once, at start. */
export function readerOf(schema: JsonSchema): Reader {
  const read = shapeReader(schema);
  const code = schema['x-refused-as'];
  return code === undefined ? read : refusingReader(code, read);
}

/** Reads a value that has a code of its own: its problems, placed within it, are in the message. */
function refusingReader(code: NonNullable<JsonSchema['x-refused-as']>, read: Reader): Reader {
  return (value, place) => {
    const problems: Problem[] = [];
    const result = read(value, placeOf('__root__'), problems);
    if (problems.length === 0) return result;
    const within = problems.map(({ loc, ...rest }) => ({ loc: loc.length > 1 ? loc.slice(1) : loc, ...rest }));
    throw new PelorusError(code, refusalText(pathOf(place), within));
  };
}

function shapeReader(schema: JsonSchema): Reader {
  if (schema.anyOf !== undefined) return choiceReader(schema.anyOf);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const read = typesReader(
    types.filter((type) => type !== 'null'),
    schema,
  );
  const nullable = types.length === 0 || types.includes('null');
  return (value, place, problems) => {
    if (value !== null) return read(value, place, problems);
    if (!nullable) problems.push(wrong('type_error.none.not_allowed', place));
    return null;
  };
}

/** Reads a value as the type that it is of, and one of no type among these as the first. */
function typesReader([first, ...others]: readonly string[], schema: JsonSchema): Reader {
  const read = typeReader(first, schema);
  if (others.length === 0) return read;
  const readers = new Map(others.map((type) => [type, typeReader(type, schema)]));
  return (value, place, problems) => (readers.get(jsonTypeOf(value)) ?? read)(value, place, problems);
}

function typeReader(type: string | undefined, schema: JsonSchema): Reader {
  switch (type) {
    case 'object':
      return objectReader(schema);
    case 'array':
      return arrayReader(schema);
    case 'string':
      return schema.enum ? enumReader(schema.enum, schema) : stringReader;
    case 'integer':
      return bounded({ ...exactIntegers, ...schema }, scalarReader(readInteger, 'type_error.integer'));
    case 'number':
      return bounded(schema, scalarReader(readNumber, 'type_error.float'));
    case 'boolean':
      return scalarReader(readBoolean, 'type_error.bool');
    default:
      return (value) => value;
  }
}

/** For members that nobody has. */
const nothingReader: Reader = (value, place, problems) => {
  problems.push(wrong('value_error.extra', place));
  return value;
};

function scalarReader(convert: (value: unknown) => unknown, kind: WordingKind): Reader {
  return (value, place, problems) => {
    const converted = convert(value);
    if (converted === unreadable) problems.push(wrong(kind, place));
    return converted;
  };
}

const stringReader = scalarReader(readString, 'type_error.str');

function enumReader(permitted: readonly unknown[], schema: JsonSchema): Reader {
  const anyCase = schema['x-any-case'] === true;
  const isTextAlone = schema['x-error-kind'] === 'type';
  const spell = (value: unknown) => (anyCase && typeof value === 'string' ? value.toLowerCase() : value);
  const bySpelling = new Map(permitted.map((value) => [spell(value), value]));
  return (value, place, problems) => {
    const found = bySpelling.get(spell(value));
    if (found === undefined) {
      const isText = typeof value === 'string' || !isTextAlone;
      problems.push(isText ? notInEnum(permitted, place) : wrong('type_error', place));
    }
    return found;
  };
}

/** Beyond these a number has lost digits before anyone could read it. */
const exactIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function bounded(schema: JsonSchema, read: Reader): Reader {
  const { minimum, maximum, exclusiveMinimum } = schema;
  return (value, place, problems) => {
    const number = read(value, place, problems);
    if (typeof number !== 'number') return number;
    if (exclusiveMinimum !== undefined && number <= exclusiveMinimum) {
      problems.push(outOfBounds('number.not_gt', exclusiveMinimum, place));
    }
    if (minimum !== undefined && number < minimum) problems.push(outOfBounds('number.not_ge', minimum, place));
    if (maximum !== undefined && number > maximum) problems.push(outOfBounds('number.not_le', maximum, place));
    return number;
  };
}

function arrayReader(schema: JsonSchema): Reader {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const readItem = schema.items === undefined ? undefined : readerOf(schema.items);
  const kind = schema['x-error-kind'] === 'sequence' ? 'type_error.sequence' : 'type_error.list';
  return (value, place, problems) => {
    if (!Array.isArray(value)) {
      problems.push(wrong(kind, place));
      return value;
    }
    if (value.length < minItems) problems.push(wrongCount('min_items', minItems, place));
    if (value.length > maxItems) {
      problems.push(wrongCount('max_items', maxItems, place));
      return value;
    }
    if (readItem === undefined) return value;
    const here: Place = { parent: place, key: 0 };
    for (let i = 0; i < value.length && problems.length < PROBLEMS_MAX; i += 1) {
      here.key = i;
      value[i] = readItem(value[i], here, problems);
    }
    return value;
  };
}

/** An object of JSON, which an array is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectReader(schema: JsonSchema): Reader {
  const declared = new Map(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, readerOf(one)]));
  const members = [...declared].map(([name, read]) => ({ name, read }));
  const places = new Map(members.map(({ name }, at) => [name, at]));
  const defaults = Object.entries(schema.properties ?? {}).filter(([, one]) => one.default !== undefined);
  const required = new Set(schema.required ?? []);
  const readOther = otherReader(schema.additionalProperties);
  const hidesNames = schema['x-hidden-names'] === true;
  const spell = schema['x-any-spelling'] === true ? spellerOf([...declared.keys()]) : undefined;
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  // Where none has to be there, and names are spelt in one way, only those that came are looked at.
  const isSparse = required.size === 0 && spell === undefined;
  return (value, place, problems) => {
    if (!isObject(value)) {
      problems.push(wrong('type_error.dict', place));
      return value;
    }
    spell?.(value);
    const names = Object.keys(value);
    if (names.length < minProperties) problems.push(wrongCount('min_items', minProperties, place));
    if (names.length > maxProperties) {
      problems.push(wrongCount('max_items', maxProperties, place));
      return value;
    }
    const here: Place = { parent: place, key: '' };
    for (const { name, read } of isSparse ? amongThese(names, members, places) : members) {
      here.key = spell === undefined ? name : speltName(value, name);
      // Own members only, and those are data members even when called `__proto__`: assignment is safe.
      if (Object.hasOwn(value, name)) value[name] = read(value[name], here, problems);
      else if (required.has(name)) problems.push(wrong('value_error.missing', here));
    }
    for (const [name, { default: fallback }] of defaults) {
      if (Object.hasOwn(value, name)) continue;
      // Members of an object have defaults of their own.
      const read = declared.get(name);
      value[name] = typeof fallback === 'object' ? read?.(structuredClone(fallback), here, problems) : fallback;
    }
    if (readOther === undefined) return value;
    for (const name of names) {
      if (declared.has(name)) continue;
      if (hidesNames) {
        problems.push(hiddenExtra([...declared.keys()], place));
        break;
      }
      if (problems.length >= PROBLEMS_MAX) break;
      here.key = name;
      value[name] = readOther(value[name], here, problems);
    }
    return value;
  };
}

/** Those of the members whose names are among these, in their own order, which is the one of problems. */
function amongThese<Member>(
  names: readonly string[],
  members: readonly Member[],
  places: ReadonlyMap<string, number>,
): readonly Member[] {
  const found: number[] = [];
  for (const name of names) {
    const place = places.get(name);
    if (place === undefined) continue;
    let at = found.length;
    for (; at > 0 && (found[at - 1] as number) > place; at -= 1) found[at] = found[at - 1] as number;
    found[at] = place;
  }
  return found.map((place) => members[place] as Member);
}

function otherReader(schema: boolean | JsonSchema | undefined): Reader | undefined {
  if (schema === false) return nothingReader;
  return schema === undefined || schema === true ? undefined : readerOf(schema);
}

/**
 * The first branch of the value's own JSON type that takes it; where no branch is of that type, the first that can
 * convert it. When none takes it, the branch it comes closest to tells the problem.
 */
function choiceReader(branches: readonly JsonSchema[]): Reader {
  const nullable = branches.some((branch) => branch.type === 'null');
  const readers = branches
    .filter((branch) => branch.type !== 'null')
    .map((branch) => ({ type: branch.type, read: readerOf(branch) }));
  return (value, place, problems) => {
    if (value === null && nullable) return null;
    const ofSameType = readers.filter(({ type }) => type === jsonTypeOf(value));
    const attempts: Problem[][] = [];
    for (const { read } of ofSameType.length > 0 ? ofSameType : readers) {
      const found: Problem[] = [];
      const result = read(value, place, found);
      if (found.length === 0) return result;
      attempts.push(found);
    }
    problems.push(...(ofSameType.length > 0 ? closest(attempts) : distinct(attempts.flat())));
    return value;
  };
}

/** The attempt that went furthest into the value before anything was wrong; of several the one with the fewest problems. */
function closest(attempts: readonly Problem[][]): Problem[] {
  const depthOf = (problems: readonly Problem[]) => Math.min(...problems.map(({ loc }) => loc.length));
  return attempts.reduce((best, found) => {
    const [depth, bestDepth] = [depthOf(found), depthOf(best)];
    return depth > bestDepth || (depth === bestDepth && found.length < best.length) ? found : best;
  });
}

function distinct(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ msg }, i) => problems.findIndex((other) => other.msg === msg) === i);
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
