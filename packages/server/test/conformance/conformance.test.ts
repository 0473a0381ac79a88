import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sections, withoutCall } from '../interface/pages.js';
import { addingDocuments } from './adding.js';
import { aliases } from './aliases.js';
import { areas } from './areas.js';
import type { Part } from './case.js';
import { chunking } from './chunks.js';
import { clients } from './clients.js';
import { collapsing } from './collapsing.js';
import { combinations } from './combinations.js';
import { compoundWords } from './compound-words.js';
import { Connection } from './connection.js';
import { correctedWords } from './corrected-words.js';
import { creation } from './creation.js';
import { curation } from './curation.js';
import { cursors } from './cursors.js';
import { dates } from './dates.js';
import { deadlines, shortDeadline } from './deadlines.js';
import { declaredFields } from './declared-fields.js';
import { deletion } from './deletion.js';
import { device } from './device.js';
import { distances } from './distances.js';
import { diversity } from './diversity.js';
import { existingTensors } from './existing-tensors.js';
import { explanations } from './explanations.js';
import { countedHits } from './facets.js';
import { modelsOfFields } from './field-models.js';
import { fieldValues } from './field-values.js';
import { fieldWeights } from './field-weights.js';
import { filterFolding } from './filter-folding.js';
import { filters } from './filters.js';
import { geoPoints } from './geo-points.js';
import { givenTensors } from './given-tensors.js';
import { conventions } from './http.js';
import { hybrid } from './hybrid.js';
import { indexState } from './index-state.js';
import { judgements } from './judgements.js';
import { lexicalHighlights } from './lexical-highlights.js';
import { limits } from './limits.js';
import { mappings } from './mappings.js';
import { mediaPointers } from './media.js';
import { modelNames } from './model-names.js';
import { modelProperties } from './model-properties.js';
import { modelVectors } from './model-vectors.js';
import { models } from './models.js';
import { multiSearch } from './multi-search.js';
import { multiVectors } from './multi-vectors.js';
import { nearest } from './nearest.js';
import { ordering } from './ordering.js';
import { phraseSlop } from './phrase-slop.js';
import { pinning } from './pinning.js';
import { queryTexts } from './query-texts.js';
import { queryVectors } from './query-vectors.js';
import { reading } from './reading.js';
import { scoreModifiers } from './score-modifiers.js';
import { searchAnswers } from './search-answers.js';
import { searchMembers } from './search-members.js';
import { searchRules } from './search-rules.js';
import { segmentedWords } from './segmented-words.js';
import { settingsUpdate, settingsUpdateOff } from './settings-update.js';
import { sparseVectors } from './sparse-vectors.js';
import { spelledWords } from './spelled-words.js';
import { stopWords } from './stop-words.js';
import { boundedSuggestions, suggestions } from './suggestions.js';
import { surprises } from './surprises.js';
import { textRanking } from './text-ranking.js';
import { typedWords } from './typed-words.js';
import { updates } from './updates.js';
import { words } from './words.js';

const parts: readonly Part[] = [
  ...[
    creation,
    models,
    modelNames,
    modelProperties,
    modelVectors,
    modelsOfFields,
    declaredFields,
    indexState,
    settingsUpdate,
    settingsUpdateOff,
    aliases,
  ],
  ...[
    addingDocuments,
    fieldValues,
    geoPoints,
    sparseVectors,
    multiVectors,
    mappings,
    combinations,
    existingTensors,
    givenTensors,
    chunking,
    mediaPointers,
  ],
  ...[updates, reading, deletion, suggestions, boundedSuggestions],
  ...[searchMembers, searchRules, searchAnswers, queryTexts, queryVectors, filters, filterFolding, areas],
  ...[
    words,
    fieldWeights,
    stopWords,
    textRanking,
    typedWords,
    spelledWords,
    correctedWords,
    compoundWords,
    phraseSlop,
    segmentedWords,
    nearest,
    hybrid,
  ],
  ...[
    scoreModifiers,
    explanations,
    lexicalHighlights,
    ordering,
    countedHits,
    distances,
    dates,
    collapsing,
    diversity,
    pinning,
    curation,
    cursors,
    multiSearch,
    judgements,
    deadlines,
    shortDeadline,
  ],
  ...[conventions, device, clients, surprises, ...limits],
];

describe.each(parts.map((part) => [part.title, part] as const))('%s', (_title, part) => {
  let connection: Connection;

  beforeAll(async () => {
    connection = await Connection.open(part);
  });

  afterAll(() => connection.close());

  test.each(part.cases.map((one) => [`${one.section}: ${one.about}`, one] as const))('%s', async (_name, one) => {
    for (const exchange of one.exchanges) await connection.check(exchange);
  });

  test('every answer had the shape that the contract gives it', () => {
    expect(connection.faults).toEqual([]);
  });
});

/** Rows that take two requests at the same moment, two engines or a clock, which cases do not have; and their tests. */
const elsewhere = new Map([
  ['5.8', 'a second engine follows the first one (engine/test/dual-engine.test.ts, operations/read-index.ts)'],
  ['6.15', 'a document is gone from a moment on (documents/expiry.test.ts)'],
  ['12.31', 'many calls at once are all answered rightly (inference/test/runtime)'],
]);

const named = new Set(parts.flatMap(({ cases }) => cases.map(({ section }) => section)));

test('every section that a case names is described in docs/interface', () => {
  expect([...named, ...elsewhere.keys()].filter((section) => !sections.includes(section))).toEqual([]);
});

test.each([
  ['indexes and documents', /^\d/],
  ['searches', /^search /],
  ['the official client', /^clients /],
] as const)('every section of what is promised of %s has a case', (_described, which) => {
  const promised = sections.filter((section) => which.test(section));
  expect(promised.filter((section) => !named.has(section) && !elsewhere.has(section))).toEqual([]);
});

test('every section of what is promised of models and media has a case, a test over HTTP, or a reason why not', () => {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const title = /^ *(?:test|describe)[^'\n]*\('(?:[^'\n]*, )?(models [\d.]+): /gm;
  const titles = files.flatMap((file) => [...readFileSync(join(tests, file), 'utf8').matchAll(title)]);
  const shown = new Set([...named, ...titles.map(([, section]) => section)]);
  const promised = sections.filter((section) => section.startsWith('models '));
  expect(promised.filter((section) => !shown.has(section)).sort()).toEqual([...withoutCall].sort());
});

test('there are at least 400 cases, no two of a part about the same', () => {
  const names = parts.flatMap(({ title, cases }) => cases.map(({ section, about }) => `${title} ${section} ${about}`));
  expect(names.length).toBeGreaterThanOrEqual(400);
  expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
});
