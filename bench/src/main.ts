import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.ts';
import { bodies } from './bodies/bodies.ts';
import { cluster } from './cluster/cluster.ts';
import { consoleBench } from './console/console.ts';
import { documents } from './documents/documents.ts';
import { growth } from './growth/growth.ts';
import { hosted } from './hosted/hosted.ts';
import { http } from './http/http.ts';
import { importing } from './import/import.ts';
import { indexes } from './indexes/indexes.ts';
import { inference } from './inference/inference.ts';
import { ingest } from './ingest/ingest.ts';
import { machine } from './machine.ts';
import { observed } from './observed/observed.ts';
import { relevance } from './relevance/relevance.ts';
import { asJson, asTable } from './row.ts';
import { search } from './search/search.ts';
import { services } from './services/services.ts';
import { serving } from './serving/serving.ts';
import { typing } from './typing/typing.ts';
import { vector } from './vector/vector.ts';

const BENCHES: Record<string, Bench> = {
  ...{ vector, search, relevance, services },
  ...{ serving, http, bodies, ingest, documents, inference, import: importing, indexes, growth, hosted, cluster },
  ...{ observed, typing, console: consoleBench },
};
const USAGE = `npm run bench -- ${Object.keys(BENCHES).join('|')} [--quick] [--json FILE]
       vector, documents and services take [--peers NAME,NAME] as well,
       relevance --collections FOLDER, cluster --scale VECTORS,
       vector [--set NAME] [--before FOLDER] [--million] [--churn],
       vector --scale VECTORS [--numbers float|bfloat16|int8] [--code-memory BYTES]`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    set: { type: 'string' },
    peers: { type: 'string' },
    before: { type: 'string' },
    million: { type: 'boolean', default: false },
    churn: { type: 'boolean', default: false },
    scale: { type: 'string' },
    numbers: { type: 'string', default: 'float' },
    'code-memory': { type: 'string' },
    collections: { type: 'string' },
    json: { type: 'string' },
  },
});
const { quick, set = null, before = null, collections = null, million, churn, numbers, json } = values;
const [scale, codeMemory] = [values.scale, values['code-memory']].map((text) =>
  text === undefined ? null : Number(text),
) as [number | null, number | null];
const peers = values.peers?.split(',').filter((name) => name !== '') ?? null;
const [name = '', ...rest] = positionals;
const bench = BENCHES[name];
if (bench === undefined || rest.length > 0) {
  console.error(`usage: ${USAGE}`);
  process.exit(2);
}

const say = (line: string) => console.error(line);
const size = million ? 'million' : quick ? 'quick' : 'full';
const facts = machine();
say(`${name} (${size}) on ${facts.cpu}, ${facts.cores} cores, ${facts.memoryGiB} GiB`);
const {
  rows,
  lines = [],
  notes,
  dataset,
} = await bench({ quick, set, peers, before, collections, million, churn, scale, numbers, codeMemory, say });
console.log(asTable(rows));
for (const line of lines) console.log(line);
for (const note of notes) console.log(`! ${note}`);
if (json !== undefined) {
  writeFileSync(json, asJson({ bench: name, size, dataset, machine: facts, notes, rows }));
  say(`written to ${json}`);
}
