import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** The violation of a schema: its place, as member names from the outside in, and its description. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly problem: string;
}

/** A check of untrusted JSON against a schema, compiled when it is first used. */
export function schemaCheck<T>(schema: object): (value: unknown) => { readonly value: T } | SchemaProblem {
  let validate: ValidateFunction<T> | undefined;
  return (value) => {
    validate ??= new Ajv({ strict: true, allowUnionTypes: true }).compile<T>(schema);
    if (validate(value)) return { value };
    const [first] = validate.errors ?? [];
    return first === undefined ? { path: [], problem: 'is not as expected' } : told(first);
  };
}

function told({ instancePath, keyword, params, message = 'is not as expected' }: ErrorObject): SchemaProblem {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keyword === 'additionalProperties'
    ? { path: [...path, String(params.additionalProperty)], problem: 'no such member' }
    : { path, problem: message };
}
