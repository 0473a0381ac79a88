import type { types } from '@pelorus/client';

type Body = types.SearchRequest;

/** Where a search is sent, for code that does the same. */
export interface Target {
  readonly url: string;
  readonly index: string;
  /** Tells whether the server asks for a key: the code takes it from the environment, and never has it. */
  readonly hasKey: boolean;
}

const KEY_VARIABLE = 'PELORUS_API_KEY';

/** A text as one word of a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(body: Body, { url, index, hasKey }: Target): string {
  const key = hasKey ? ` -H "x-api-key: $${KEY_VARIABLE}"` : '';
  const address = shellWord(`${url}/indexes/${encodeURIComponent(index)}/search`);
  return `curl -s -X POST ${address} -H 'Content-Type: application/json'${key} \\\n  -d ${shellWord(JSON.stringify(body))}`;
}

export function typeScriptOf(body: Body, { url, index, hasKey }: Target): string {
  const key = hasKey ? `, apiKey: process.env.${KEY_VARIABLE}` : '';
  return [
    "import { Pelorus } from '@pelorus/client';",
    '',
    `const pelorus = new Pelorus({ url: ${JSON.stringify(url)}${key} });`,
    `const { hits } = await pelorus.index(${JSON.stringify(index)}).search(${JSON.stringify(body, null, 2)});`,
    'for (const { _id, _score } of hits) console.log(_score, _id);',
  ].join('\n');
}

/** Names that the official client has for members of a search. */
const PYTHON_NAMES: Readonly<Record<string, string>> = {
  q: 'q',
  searchMethod: 'search_method',
  limit: 'limit',
  filter: 'filter_string',
  hybridParameters: 'hybrid_parameters',
};

/** By the official client; members that it does not know go by plain HTTP. */
export function pythonOf(body: Body, target: Target): string {
  const members = Object.entries(body);
  if (members.some(([name]) => !(name in PYTHON_NAMES))) return plainPythonOf(body, target);
  const { url, index, hasKey } = target;
  const given = members.map(([name, value]) => `    ${PYTHON_NAMES[name]}=${pythonValue(value)},`);
  return [
    ...(hasKey ? ['import os', ''] : []),
    'import marqo',
    '',
    `client = marqo.Client(url=${pythonValue(url)}${hasKey ? `, api_key=os.environ["${KEY_VARIABLE}"]` : ''})`,
    `result = client.index(${pythonValue(index)}).search(`,
    ...given,
    ')',
    'for hit in result["hits"]:',
    '    print(hit["_score"], hit["_id"])',
  ].join('\n');
}

function plainPythonOf(body: Body, { url, index, hasKey }: Target): string {
  const key = hasKey ? `, "x-api-key": os.environ["${KEY_VARIABLE}"]` : '';
  return [
    'import json',
    ...(hasKey ? ['import os'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${pythonValue(`${url}/indexes/${encodeURIComponent(index)}/search`)},`,
    `    data=json.dumps(${pythonValue(body)}).encode(),`,
    `    headers={"Content-Type": "application/json"${key}},`,
    ')',
    'with urllib.request.urlopen(request) as answer:',
    '    for hit in json.load(answer)["hits"]:',
    '        print(hit["_score"], hit["_id"])',
  ].join('\n');
}

/** A value of JSON as Python writes it: its texts and numbers are those of JSON. */
function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one)}`);
  return `{${members.join(', ')}}`;
}
