import { expect } from 'vitest';
import type { Expected } from './case.js';

/** A text that holds another one. */
export const holding = (text: string) => expect.stringContaining(text);

/** The body that every error has. */
export function error(status: number, code: string, message: unknown, link: string | null = null): Expected {
  return { status, answer: { message, code, type: 'invalid_request', link } };
}

export const invalidArgument = (message: unknown) => error(400, 'invalid_argument', message);
export const badRequest = (message: unknown) => error(400, 'bad_request', message);
/** The error of a model, and where to read on. */
export const modelError = (message: unknown) => error(400, 'bad_request', message, '/docs');
export const noIndex = (name: string) => error(404, 'index_not_found', `Index ${name} not found`);

/** A rule that was found broken after the shape of the body: its message is JSON, spelt with blanks. */
export function lateError(loc: string, msg: string, type = 'value_error'): Expected {
  const message = `[{"loc": ["${loc}"], "msg": ${JSON.stringify(msg)}, "type": "${type}"}]`;
  return error(400, 'invalid_argument', message, '');
}

type Path = readonly (string | number)[];

/** The path of a member of the body. */
export const inBody = (...path: (string | number)[]): Path => ['body', ...path];
/** The place of a problem of several members. */
export const root = inBody('__root__');

export interface Problem {
  readonly loc: Path;
  readonly msg: unknown;
  readonly type: string;
  readonly ctx?: unknown;
}

/** A request without the shape that it must have. */
export function unprocessable(...detail: readonly Problem[]): Expected {
  return {
    status: 422,
    answer: { detail, message: expect.any(String), code: 'unprocessable_entity', type: 'invalid_request', link: '' },
  };
}

const problemOf = (type: string, msg: string) => (loc: Path) => ({ loc, msg, type });

/** Each kind of problem, for a path that starts with `body` or `query`. */
export const problems = {
  missing: problemOf('value_error.missing', 'field required'),
  extra: problemOf('value_error.extra', 'extra fields not permitted'),
  null: problemOf('type_error.none.not_allowed', 'none is not an allowed value'),
  integer: problemOf('type_error.integer', 'value is not a valid integer'),
  float: problemOf('type_error.float', 'value is not a valid float'),
  text: problemOf('type_error.str', 'str type expected'),
  /** As above, of the type of a field. */
  typeIsText: problemOf('type_error', 'str type expected'),
  object: problemOf('type_error.dict', 'value is not a valid dict'),
  list: problemOf('type_error.list', 'value is not a valid list'),
  sequence: problemOf('type_error.sequence', 'value is not a valid sequence'),
  boolean: problemOf('type_error.bool', 'value could not be parsed to a boolean'),
  oneOf: (loc: Path, permitted: readonly string[]) => ({
    loc,
    msg: `value is not a valid enumeration member; permitted: ${permitted.map((value) => `'${value}'`).join(', ')}`,
    type: 'type_error.enum',
    ctx: { enum_values: permitted },
  }),
  above: (loc: Path, limit: number) => bound(loc, 'gt', 'greater than', limit),
  atLeast: (loc: Path, limit: number) => bound(loc, 'ge', 'greater than or equal to', limit),
  atMost: (loc: Path, limit: number) => bound(loc, 'le', 'less than or equal to', limit),
  rule: (loc: Path, msg: unknown) => ({ loc, msg, type: 'value_error' }),
  malformed: (position: number) => ({
    loc: ['body', position],
    msg: expect.any(String),
    type: 'value_error.jsondecode',
  }),
};

function bound(loc: Path, kind: string, words: string, limit: number): Problem {
  const msg = `ensure this value is ${words} ${limit}`;
  return { loc, msg, type: `value_error.number.not_${kind}`, ctx: { limit_value: limit } };
}
