import { readFileSync } from 'node:fs';

/** The whole contract as one OpenAPI document, as JSON bytes: what `/openapi.json` answers. */
export function openapiDocument(): Buffer {
  return readFileSync(new URL('../src/generated/openapi.json', import.meta.url));
}
