// Reads the operations of a bundled document into the rows of the operation table.

export const bodyLimitBytesDefault = 64 * 1024;
export const bodyPartsMaxDefault = 20_000;
const loads = ['probe', 'none', 'search', 'add', 'update', 'fill'];
const methods = ['get', 'post', 'put', 'patch', 'delete'];

function resolve(document, item) {
  if (typeof item?.$ref !== 'string') return item;
  return item.$ref
    .slice(2)
    .split('/')
    .reduce((node, key) => node[key], document);
}

/** The parameters in one place (`path`, `query`, `header`) as an object schema. */
function parameterSchema(document, parameters, place) {
  const chosen = parameters.map((item) => resolve(document, item)).filter((item) => item.in === place);
  return {
    type: 'object',
    required: chosen.filter((item) => item.required).map((item) => item.name),
    properties: Object.fromEntries(chosen.map((item) => [item.name, item.schema])),
  };
}

/** The schemas of the answers that are JSON, by status. */
function responseSchemas(document, responses) {
  const rows = Object.entries(responses).map(([status, item]) => [
    status,
    resolve(document, item).content?.['application/json']?.schema,
  ]);
  return Object.fromEntries(rows.filter(([, schema]) => schema !== undefined));
}

function operationRow(document, path, method, item, operation) {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  if (operation['x-scope'] === undefined) throw new Error(`${operation.operationId} has no x-scope`);
  if (!loads.includes(operation['x-load'])) {
    throw new Error(`${operation.operationId} needs x-load, one of ${loads.join(', ')}: does it count as load?`);
  }
  const bodyPartsMax = operation['x-body-parts-max'] ?? bodyPartsMaxDefault;
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    service: operation['x-service'] ?? 'search',
    scope: operation['x-scope'],
    filteredKeys: operation['x-filtered-keys'] ?? false,
    load: operation['x-load'],
    scopeTable: operation['x-scope-table'] ?? null,
    credential: operation['x-credential'] ?? 'key',
    switch: operation['x-switch'] ?? null,
    bodyLimitBytes: operation['x-body-limit-bytes'] ?? bodyLimitBytesDefault,
    bodyPartsMax,
    bodyNamesMax: operation['x-body-names-max'] ?? bodyPartsMax,
    bodyValuesMax: operation['x-body-values-max'] ?? bodyPartsMax,
    rawBody: operation['x-raw-body'] ?? false,
    params: parameterSchema(document, parameters, 'path'),
    query: parameterSchema(document, parameters, 'query'),
    headers: parameterSchema(document, parameters, 'header'),
    bodyRequired: operation.requestBody?.required ?? false,
    body: operation.requestBody?.content['application/json'].schema ?? null,
    responses: responseSchemas(document, operation.responses),
  };
}

/** Adds the answer of a server under load to each operation that may be refused for it and does not name that answer. */
export function addLoadRefusals(document) {
  const refusal = { $ref: '#/components/responses/tooManyRequests' };
  if (resolve(document, refusal) === undefined) throw new Error('responses.yaml has no tooManyRequests that is used');
  for (const item of Object.values(document.paths)) {
    for (const operation of methods.map((method) => item[method]).filter((one) => one !== undefined)) {
      if (operation['x-load'] !== 'probe')
        operation.responses = { ...operation.responses, 429: operation.responses[429] ?? refusal };
    }
  }
}

/** One row per operation, by operationId. */
export function operationRows(document) {
  const rows = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      if (item[method]) rows.push(operationRow(document, path, method, item, item[method]));
    }
  }
  return rows.sort((a, b) => (a.operationId < b.operationId ? -1 : 1));
}
