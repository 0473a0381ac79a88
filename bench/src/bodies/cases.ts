/** A request with about as much in its body as its route takes, of one kind. */
export interface Case {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Another one for each round, where the server would remember something of the last. */
  body(round: number): string;
}

const MIB = 2 ** 20;
/** An index of vectors that documents bring. */
export const OWN = '/indexes/own';
/** An index with a model that takes next to no time. */
export const EMBEDDING = '/indexes/embedding';

/** `{"a0":...,"a1":...}` */
function members(count: number, value: (at: number) => string = () => '0', name = 'a'): string {
  return `{${Array.from({ length: count }, (_, at) => `"${name}${at}":${value(at)}`).join()}}`;
}

function items(count: number, value: (at: number) => string): string {
  return `[${Array.from({ length: count }, (_, at) => value(at)).join()}]`;
}

const nested = (depth: number, inner = '') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
const nestedObjects = (depth: number, inner = '0') => `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
const text = (bytes: number, unit = 'word ') => unit.repeat(bytes / unit.length);
const id = (round: number, at: number) => `"document ${round} ${at}"`;
const DOCUMENT = '{"_id":"1","title":"a"}';

/** Bodies of about so many bytes that no route takes. */
function refused(method: string, path: string, bytes: number): Case[] {
  const of = (name: string, body: () => string): Case => ({ name, method, path, body });
  const count = Math.floor(bytes / 14);
  return [
    of('unknown members', () => members(Math.min(count, 1_000_000))),
    of('deep arrays', () => nested(bytes / 2 - 1)),
    of('64 deep, many times', () => items(Math.floor(bytes / 130), () => nested(62))),
    of('objects 60 deep, many times', () => items(Math.floor(bytes / 400), () => nestedObjects(60))),
    of('one text', () => JSON.stringify(text(bytes - 16))),
    of('numbers', () => items(Math.floor(bytes / 3), () => '10')),
    of('ends early', () => `{"q":"${text(bytes - 16)}`),
    of('escapes', () => `"${text(bytes - 16, '\\u00e9')}"`),
    of('halves of characters', () => items(Math.floor(bytes / 10), () => '"\\ud800"')),
    of('blanks', () => `${text(bytes - 16, ' ')}{}`),
    of('one number', () => text(bytes - 16, '1')),
    of('same name', () => `{${Array.from({ length: Math.floor(bytes / 12) }, () => '"a":{"b":0}').join()}}`),
  ];
}

/** Bodies that get as far as they can. */
function taken(): Case[] {
  const of = (name: string, method: string, path: string, body: (round: number) => string): Case => {
    return { name, method, path, body };
  };
  const ids = (count: number) => (round: number) => items(count, (at) => id(round, at));
  const field = (at: number, rest = '') => `{"name":"f${at}","type":"text","features":["filter"]${rest}}`;
  const documents = (rest: string, list = `[${DOCUMENT}]`) => `{"documents":${list},"tensorFields":[]${rest}}`;
  const weights = (count: number) => members(count, () => '0.5', 'w');
  const add = (name: string, body: (round: number) => string) => of(name, 'POST', `${OWN}/documents`, body);
  const update = (name: string, body: (round: number) => string) => of(name, 'PATCH', `${OWN}/documents`, body);
  const search = (name: string, body: (round: number) => string) => of(name, 'POST', `${OWN}/search`, body);
  const create = (name: string, body: (round: number) => string) => of(name, 'POST', '/indexes/made', body);
  const bigDocuments = (count: number, bytes: number) => items(count, (at) => `{"_id":"${at}","t":"${text(bytes)}"}`);
  return [
    create('60k members of modelProperties', () => `{"modelProperties":${members(59_000)}}`),
    create('6k fields', () => `{"type":"structured","allFields":${items(6_000, (at) => field(at))},"tensorFields":[]}`),
    create(
      'a field twice',
      () => `{"type":"structured","allFields":${items(6_000, (at) => field(at % 5_999))},"tensorFields":[]}`,
    ),
    create(
      'bad fields',
      () => `{"type":"structured","allFields":${items(9_000, () => '{"name":"a b","type":"text"}')},"tensorFields":[]}`,
    ),
    create(
      'no such types',
      () => `{"type":"structured","allFields":${items(9_000, () => '{"name":"a","type":"x"}')},"tensorFields":[]}`,
    ),
    create(
      '50k tensor fields',
      () => `{"type":"structured","allFields":[],"tensorFields":${items(50_000, (at) => `"t${at}"`)}}`,
    ),
    create(
      '50k features',
      () =>
        `{"type":"structured","allFields":[{"name":"a","type":"text","features":${items(50_000, () => '"filter"')}}],"tensorFields":[]}`,
    ),
    create(
      'dependent fields',
      () =>
        `{"type":"structured","allFields":[{"name":"a","type":"multimodal_combination","dependentFields":${weights(50_000)}}],"tensorFields":["a"]}`,
    ),
    create('names with underscores', () => members(50_000, () => '0', 'a_')),
    create('legacy members', () => `{"index_defaults":${members(50_000)}}`),
    create('a long model', () => `{"model":"${text(MIB - 64)}"}`),
    create(
      'a long prefix',
      () => `{"model":"no_model","textChunkPrefix":"${text(MIB - 200)}","modelProperties":{"type":"no_model"}}`,
    ),
    create('empty objects', () => `{"allFields":${items(59_000, () => '{}')}}`),
    of('all at once', 'POST', '/batch/indexes/create', () =>
      items(9_000, (at) => `{"indexName":"b${at}","model":"no such"}`),
    ),
    of('empty', 'POST', '/batch/indexes/create', () => items(59_000, () => '{}')),
    of('all at once', 'POST', '/batch/indexes/delete', () => items(7_000, (at) => `"n${at}"`)),
    of('model properties', 'PATCH', `${OWN}/index-settings`, () => `{"modelProperties":${members(19_000)}}`),

    add('32 MiB in one document', () => documents('', bigDocuments(1, 31 * MIB))),
    add('128 documents of 250 kB', () => documents('', bigDocuments(128, 250_000))),
    add('128 documents of 90 kB', () => documents('', bigDocuments(128, 90_000))),
    add('2M empty documents', () =>
      documents(
        '',
        items(2_000_000, () => '{}'),
      ),
    ),
    add('2M numbers', () =>
      documents(
        '',
        items(2_000_000, () => '0'),
      ),
    ),
    add('128 documents of 10k fields', () =>
      documents(
        '',
        items(128, (at) => `{"_id":"${at}",${members(7_000).slice(1)}`),
      ),
    ),
    add('128 documents of 900 maps', () =>
      documents(
        '',
        items(128, (at) => `{"_id":"${at}",${members(300, () => members(20)).slice(1)}`),
      ),
    ),
    add('128 deep documents', () =>
      documents(
        '',
        items(128, () => nestedObjects(60)),
      ),
    ),
    add('32 MiB bare list', () => bigDocuments(128, 250_000)),
    add('bare list of 1M documents', () => items(1_000_000, () => '{"_id":"1"}')),
    add('million members beside the documents', () => `{"documents":[${DOCUMENT}],${members(1_000_000).slice(1)}`),
    add('20k members beside the documents', () => `{"documents":[${DOCUMENT}],${members(19_000).slice(1)}`),
    add('4k mappings', () => documents(`,"mappings":${members(4_000, () => '{"type":"custom_vector"}')}`)),
    add('2k text mappings', () =>
      documents(`,"mappings":${members(2_800, () => '{"type":"text_field","language":"en"}')}`),
    ),
    add('mappings of 1000 weights', () =>
      documents(`,"mappings":${members(15, () => `{"type":"multimodal_combination","weights":${weights(1000)}}`)}`),
    ),
    add('mappings of 19k weights', () =>
      documents(`,"mappings":{"m":{"type":"multimodal_combination","weights":${weights(19_000)}}}`),
    ),
    add('19k tensor fields', () => `{"documents":[${DOCUMENT}],"tensorFields":${items(19_000, (at) => `"t${at}"`)}}`),
    add('19k headers', () => documents(`,"imageDownloadHeaders":${members(9_900, () => '"v"')}`)),
    add('unknown members of documents envelope, 1 MiB', () =>
      documents(`,${members(9_000, () => `"${text(80)}"`).slice(1, -1)}`),
    ),
    add(
      'documents last',
      () => `{"mappings":${members(4_000, () => '{"type":"custom_vector"}')},"documents":${bigDocuments(128, 90_000)}}`,
    ),
    add('documents twice', () => `{"documents":${bigDocuments(64, 200_000)},"documents":${bigDocuments(64, 200_000)}}`),
    of('32 MiB', 'PUT', `${OWN}/documents`, () => bigDocuments(128, 250_000)),
    of('128 of 90 kB', 'PUT', `${OWN}/documents`, () => bigDocuments(128, 90_000)),
    of('1M documents', 'PUT', `${OWN}/documents`, () => items(1_000_000, () => '{"_id":"1"}')),
    of('1M members', 'PUT', `${OWN}/documents`, () => `[${members(1_000_000)}]`),
    update('1M fields', () => `{"documents":[{"_id":"1",${members(1_000_000).slice(1)}]}`),
    update(
      '128 documents of 7k fields',
      () => `{"documents":${items(128, (at) => `{"_id":"${at}",${members(7_000).slice(1)}`)}}`,
    ),
    update('2M documents', () => `{"documents":${items(2_000_000, () => '{}')}}`),
    update('2M numbers', () => `{"documents":${items(2_000_000, () => '0')}}`),
    update('32 MiB in one', () => `{"documents":${bigDocuments(1, 31 * MIB)}}`),
    update('million members beside', () => `{"documents":[${DOCUMENT}],${members(1_000_000).slice(1)}`),
    of('deep body', 'POST', `${OWN}/documents`, () => documents('', nested(15 * MIB))),
    of('32 MiB number', 'POST', `${OWN}/documents`, () => documents('', `[{"a":${text(31 * MIB, '1')}}]`)),
    of('fails at its end', 'POST', `${OWN}/documents`, () => documents('', bigDocuments(128, 250_000)).slice(0, -1)),
    of('fails at its end, lines', 'POST', `${OWN}/documents`, () => `{"documents":[${text(31 * MIB, '\n')}`),

    of('10k ids', 'GET', `${OWN}/documents`, ids(10_000)),
    of('50k ids', 'GET', `${OWN}/documents`, ids(49_000)),
    of('10k ids of 200', 'GET', `${OWN}/documents`, (round) => items(10_000, (at) => `"${text(180)}${round} ${at}"`)),
    of(
      '10k that are there',
      'POST',
      `${OWN}/documents/get-batch`,
      () => `{"documentIds":${items(10_000, (at) => `"${at % 128}"`)}}`,
    ),
    of(
      '10k with facets',
      'POST',
      `${OWN}/documents/get-batch?expose_facets=true`,
      () => `{"documentIds":${items(10_000, (at) => `"v${at % 128}"`)}}`,
    ),
    of('50k numbers', 'POST', `${OWN}/documents/get-batch`, () => `{"documentIds":${items(49_000, (at) => `${at}`)}}`),
    of('50k nulls', 'POST', `${OWN}/documents/get-batch`, () => `{"documentIds":${items(49_000, () => 'null')}}`),
    of('10k ids', 'POST', `${OWN}/documents/delete-batch`, ids(10_000)),
    of('10k long ids', 'POST', `${OWN}/documents/delete-batch`, (round) =>
      items(10_000, (at) => `"${text(180)}${round} ${at}"`),
    ),
    of('50k ids', 'POST', `${OWN}/documents/delete-batch`, ids(49_000)),

    search('6 MiB query', (round) => `{"q":"${round} ${text(6 * MIB - 100)}"}`),
    search(
      '6 MiB words',
      (round) =>
        `{"searchMethod":"LEXICAL","q":"${round} ${Array.from({ length: 700_000 }, (_, at) => `w${at}`).join(' ')}"}`,
    ),
    search('6 MiB phrases', (round) => `{"searchMethod":"LEXICAL","q":"${round} ${text(5 * MIB, '\\"a b\\" ')}"}`),
    search('6 MiB filter', (round) => `{"q":"a","filter":"a:${round}${text(6 * MIB - 100)}"}`),
    search(
      'filter of clauses',
      () =>
        `{"q":"a","searchMethod":"LEXICAL","filter":"${Array.from({ length: 300_000 }, (_, at) => `a:${at}`).join(' OR ')}"}`,
    ),
    search('deep filter', () => `{"q":"a","searchMethod":"LEXICAL","filter":"${text(3 * MIB, '(')}"}`),
    search('20k attributes', () => `{"q":"a","attributesToRetrieve":${items(19_000, (at) => `"a${at}"`)}}`),
    search(
      '20k searchable',
      () => `{"q":"a","searchMethod":"LEXICAL","searchableAttributes":${items(19_000, (at) => `"a${at}"`)}}`,
    ),
    search(
      '6 MiB names',
      () => `{"q":"a","searchMethod":"LEXICAL","searchableAttributes":${items(19_000, (at) => `"${text(280)}${at}"`)}}`,
    ),
    search('weighted texts', () => `{"q":${members(19_000)}}`),
    search('unknown members', () => members(19_000)),
    search('300k numbers', () => `{"q":{"customVector":{"vector":${items(299_000, () => '0.123456789')}}}}`),
    search(
      '4 context vectors',
      () =>
        `{"q":"a","context":{"tensor":${items(60, () => `{"weight":1,"vector":${items(4_096, () => '0.12345678')}}`)}}}`,
    ),
    search(
      '19k context vectors',
      () => `{"q":"a","context":{"tensor":${items(6_000, () => '{"weight":1,"vector":[0]}')}}}`,
    ),
    search('context documents', () => `{"q":"a","context":{"documents":{"ids":${members(19_000)}}}}`),
    search(
      'score modifiers',
      () =>
        `{"q":"a","searchMethod":"LEXICAL","scoreModifiers":{"multiply_score_by":${items(6_000, (at) => `{"field_name":"a${at}","weight":1}`)}}}`,
    ),
    search(
      'facets',
      () => `{"q":"a","searchMethod":"HYBRID","facets":{"fields":${members(3_000, () => '{"type":"string"}')}}}`,
    ),
    search(
      'sort',
      () => `{"q":"a","searchMethod":"HYBRID","sortBy":{"fields":${items(6_000, (at) => `{"fieldName":"a${at}"}`)}}}`,
    ),
    search('bad members', () => `{"q":"a","attributesToRetrieve":${items(19_000, () => 'null')}}`),
    search('choices', () => `{"q":"a","searchableAttributes":${items(9_000, () => '{}')}}`),
    search('data URI', () => `{"q":{"data:image/png;base64,${text(5 * MIB, 'AAAA')}":1}}`),
    search('escaped data URI', () => `{"q":{"data:image/png;base64,${text(5 * MIB, '\\u0041')}":1}}`),
    of('ids', 'POST', `${OWN}/recommend`, () => `{"documents":${members(19_000)}}`),
    of('a list of ids', 'POST', `${OWN}/recommend`, () => `{"documents":${items(19_000, (at) => `"a${at}"`)}}`),
    of('one text of 4 MiB', 'POST', `${OWN}/embed`, (round) => `{"content":"${round} ${text(4 * MIB - 100)}"}`),
    of('20k texts', 'POST', `${OWN}/embed`, () => `{"content":${items(19_000, (at) => `"a${at}"`)}}`),
    of(
      '1024 texts of 4 kB',
      'POST',
      `${OWN}/embed`,
      (round) => `{"content":${items(1024, (at) => `"${round} ${at} ${text(4_000)}"`)}}`,
    ),
    of('texts in objects', 'POST', `${OWN}/embed`, () => `{"content":${items(9_000, (at) => `{"a${at}":1}`)}}`),
    of(
      '1024 texts, random',
      'POST',
      `${EMBEDDING}/embed`,
      (round) => `{"content":${items(1024, (at) => `"${round} ${at} ${text(4_000)}"`)}}`,
    ),
    of('one text, random', 'POST', `${EMBEDDING}/embed`, (round) => `{"content":"${round} ${text(4 * MIB - 100)}"}`),
    of('weighted texts', 'POST', `${EMBEDDING}/search`, (round) => `{"q":${members(1000, () => '1', `a ${round} `)}}`),
    of('6 MiB query', 'POST', `${EMBEDDING}/search`, (round) => `{"q":"${round} ${text(6 * MIB - 100)}"}`),
    of(
      '128 of 90 kB',
      'POST',
      `${EMBEDDING}/documents`,
      (round) => `{"documents":${items(128, (at) => `{"_id":"${at}","t":"${round} ${text(20_000)}"}`)}}`,
    ),
    of(
      '16k queries',
      'POST',
      `${OWN}/suggestions/queries`,
      () => `{"queries":${items(16_000, (at) => `{"query":"q${at}"}`)}}`,
    ),
    of(
      '128 of metadata',
      'POST',
      `${OWN}/suggestions/queries`,
      (round) => `{"queries":${items(128, (at) => `{"query":"q${round} ${at}","metadata":${members(350)}}`)}}`,
    ),
    of(
      'blank queries',
      'POST',
      `${OWN}/suggestions/queries`,
      () => `{"queries":${items(24_000, () => '{"query":""}')}}`,
    ),
    of('queries', 'GET', `${OWN}/suggestions/queries`, () => items(10_000, (at) => `"q${at}"`)),
    of('queries', 'DELETE', `${OWN}/suggestions/queries`, () => items(10_000, (at) => `"q${at} ${text(150)}"`)),
    of('a long text', 'POST', `${OWN}/suggestions`, () => `{"q":"${text(65_000)}"}`),
    of(
      'a filter',
      'POST',
      `${OWN}/documents/scan`,
      () => `{"filter":"${Array.from({ length: 6_000 }, (_, at) => `a:${at}`).join(' OR ')}"}`,
    ),
    of('all', 'POST', `${OWN}/documents/scan`, () => '{"limit":1000,"exposeFacets":true}'),
  ];
}

export const cases: readonly Case[] = [
  ...taken(),
  ...refused('POST', '/indexes/made', MIB),
  ...refused('POST', `${OWN}/search`, 6 * MIB),
  ...refused('POST', `${OWN}/documents`, 32 * MIB),
  ...refused('POST', `${OWN}/documents/delete-batch`, 2 * MIB),
  ...refused('POST', `${OWN}/embed`, 4 * MIB),
  ...refused('PATCH', `${OWN}/documents`, 32 * MIB),
];
