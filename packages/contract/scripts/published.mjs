// Makes the document that clients read out of the bundled one: the same interface, in a form that generators of clients
// make sound types of.
import { isDeepStrictEqual } from 'node:util';

const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** Keywords that belong to a place, and not to the type that stands there. */
const ofPlace = new Set(['description', 'default', 'deprecated', 'example']);

/**
 * The published document:
 * - a member with `x-unlisted` is another spelling of a listed one, of which generators would make one name: it is left
 *   out. An answer always has it, so that its object is open;
 * - a default that is an empty object is left out: the defaults of its members say the same;
 * - a schema with `x-name` stands among the components under that name, a nullable one as a choice of it and null;
 * - each operation has the answer 500.
 */
export function published(document, serverError) {
  const result = structuredClone(document);
  const { schemas, responses } = result.components;
  responses.serverError = JSON.parse(
    JSON.stringify(serverError).replaceAll(/"schemas\/([\w-]+)\.yaml"/g, '"#/components/schemas/$1"'),
  );
  for (const item of Object.values(result.paths)) {
    for (const operation of methods.flatMap((method) => item[method] ?? [])) {
      operation.responses = { ...operation.responses, 500: { $ref: '#/components/responses/serverError' } };
    }
  }
  const named = new Map();
  result.paths = rewritten(result.paths, named);
  result.components.responses = rewritten(responses, named);
  result.components.schemas = rewritten(schemas, named);
  for (const [name, schema] of named) {
    if (name in result.components.schemas) throw new Error(`x-name ${name} is the name of a schema in openapi/schemas`);
    result.components.schemas[name] = schema;
  }
  return result;
}

/** `node` without unlisted members; schemas with a name of their own go to `named`. */
function rewritten(node, named) {
  if (Array.isArray(node)) return node.map((item) => rewritten(item, named));
  if (node === null || typeof node !== 'object') return node;
  const { 'x-name': name, ...plain } = withoutUnlisted(node);
  const members = Object.entries(plain).filter(([key, value]) => key !== 'default' || !isEmptyObject(value));
  const whole = Object.fromEntries(members.map(([key, value]) => [key, rewritten(value, named)]));
  return typeof name === 'string' ? reference(name, whole, named) : whole;
}

function isEmptyObject(value) {
  return isDeepStrictEqual(value, {});
}

function withoutUnlisted(schema) {
  const { properties, required = [] } = schema;
  if (properties === undefined || Object.values(properties).every((member) => member['x-unlisted'] !== true)) {
    return schema;
  }
  const listed = Object.entries(properties).filter(([, member]) => member['x-unlisted'] !== true);
  const names = new Set(listed.map(([name]) => name));
  const rest = { ...schema, properties: Object.fromEntries(listed) };
  if (schema.required !== undefined) rest.required = required.filter((name) => names.has(name));
  if (required.some((name) => !names.has(name))) delete rest.additionalProperties;
  return rest;
}

function reference(name, schema, named) {
  const ofHere = Object.entries(schema).filter(([key]) => ofPlace.has(key));
  const ofType = Object.fromEntries(Object.entries(schema).filter(([key]) => !ofPlace.has(key)));
  const isNullable = Array.isArray(ofType.type) && ofType.type.includes('null');
  if (isNullable) {
    const types = ofType.type.filter((type) => type !== 'null');
    ofType.type = types.length === 1 ? types[0] : types;
    if (ofType.enum !== undefined) ofType.enum = ofType.enum.filter((value) => value !== null);
  }
  const known = named.get(name);
  if (known !== undefined && !isDeepStrictEqual(known, ofType)) throw new Error(`two schemas are named ${name}`);
  named.set(name, ofType);
  const target = { $ref: `#/components/schemas/${name}` };
  return { ...(isNullable ? { anyOf: [target, { type: 'null' }] } : target), ...Object.fromEntries(ofHere) };
}
