import { UnprocessableError } from '@pelorus/contract';
import { shown } from '../validation/echo.js';
import { brokenTogether } from '../validation/problems.js';

/** Members whose own members have names of the caller's choosing, or, in `modelAuth`, names that are not shown. */
const freeForm = new Set(['modelProperties', 'dependentFields', 'modelAuth']);

/**
 * What precedes the check of a create body: an empty array counts as an empty object, a member name with an underscore
 * is refused before anything else, and blanks in field types are put right.
 */
export function prepareSettings(body: unknown): unknown {
  if (Array.isArray(body) && body.length === 0) return {};
  const name = memberWithUnderscore(body);
  if (name !== undefined) {
    const text = `Invalid field name '${shown(name)}'. The members that index creation takes are listed at /docs`;
    throw new UnprocessableError([brokenTogether(text)]);
  }
  const fields = (body as { allFields?: unknown } | null)?.allFields;
  if (Array.isArray(fields)) for (const field of fields) normalizeFieldType(field);
  return body;
}

function memberWithUnderscore(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (name.includes('_')) return name;
    const inner = freeForm.has(name) ? undefined : memberWithUnderscore(member);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** `map<text,int>` -> `map<text, int>`, `array< text >` -> `array<text>` */
function normalizeFieldType(field: unknown): void {
  const declared = field as { type?: unknown } | null;
  if (typeof declared !== 'object' || typeof declared?.type !== 'string') return;
  declared.type = declared.type.replace(/ *([<>]) */g, '$1').replace(/ *, */g, ', ');
}
