import { truncated, UnprocessableError } from '@pelorus/contract';
import { brokenTogether, placeOf, wrong } from '../validation/problems.js';

/** Members whose own members have names of the caller's choosing, or, in `modelAuth`, names that are not shown. */
const freeForm = new Set(['modelProperties', 'dependentFields', 'modelAuth', 'fieldModels']);

/** Settings of the hosted form, where machines are the service's to choose. */
const HOSTED = ['numberOfShards', 'numberOfReplicas', 'numberOfInferences', 'storageClass', 'inferenceType'];

/**
 * Prepares settings of today's form for their check: an empty array counts as an empty object, a member name with an
 * underscore is refused before anything else, so is a member that only the hosted form takes, and blanks in field types
 * are put right.
 */
export function prepareSettings(body: unknown): unknown {
  if (Array.isArray(body)) return body.length === 0 ? {} : body;
  const name = memberWithUnderscore(body);
  if (name !== undefined) {
    const text = `Invalid field name '${truncated(name)}'. The members that index creation takes are listed at /docs`;
    throw new UnprocessableError([brokenTogether(text)]);
  }
  refuseHosted(body);
  const fields = (body as { allFields?: unknown } | null)?.allFields;
  if (Array.isArray(fields)) for (const field of fields) normalizeFieldType(field);
  return body;
}

function refuseHosted(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const problems = HOSTED.filter((name) => Object.hasOwn(body, name)).map((name) => {
    const problem = wrong('value_error.extra', { parent: placeOf('body'), key: name });
    return { ...problem, msg: `${problem.msg}: a setting of the hosted form, which has none to act on here` };
  });
  if (problems.length > 0) throw new UnprocessableError(problems);
}

function memberWithUnderscore(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return firstWithUnderscore(value);
  for (const [name, member] of Object.entries(value)) {
    if (name.includes('_')) return name;
    const inner = freeForm.has(name) ? undefined : memberWithUnderscore(member);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function firstWithUnderscore(items: readonly unknown[]): string | undefined {
  for (const item of items) {
    const name = memberWithUnderscore(item);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** `map<text,int>` -> `map<text, int>`, `array< text >` -> `array<text>` */
function normalizeFieldType(field: unknown): void {
  const declared = field as { type?: unknown } | null;
  if (typeof declared !== 'object' || typeof declared?.type !== 'string') return;
  declared.type = declared.type.replace(/ *([<>]) */g, '$1').replace(/ *, */g, ', ');
}
