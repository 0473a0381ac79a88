import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { caseNotOnCluster, notOnCluster } from './cluster.js';
import { add, finds } from './documents.js';
import { inBody, problems, unprocessable } from './errors.js';
import { create, field, hasSettings, own, structured, unstructuredDefaults } from './indexes.js';

const words = { textSegmentation: 'words' };
const shown = (settings: object) => ({
  ...unstructuredDefaults,
  model: 'no_model',
  modelProperties: { type: 'no_model', dimensions: 2 },
  ...settings,
});

const documents = [
  { _id: 'life', title: '科学家研究生命的起源' },
  { _id: 'student', title: '他是北京大学的研究生' },
  { _id: 'case', title: '我买了手机壳和充电器' },
  { _id: 'tokyo', title: '東京都に住んでいます' },
  { _id: 'kyoto', title: '京都の古い寺' },
  { _id: 'rice', title: 'ข้าวผัดกุ้ง' },
  { _id: 'white', title: 'ผ้าสีขาว' },
  { _id: 'school', title: '학교에서 한국어를 배웁니다' },
];
const CUT = ['cut', 'cut_declared'];

const lexical = (index: string, q: string, ...ids: string[]): Exchange =>
  finds(index, { q, searchMethod: 'LEXICAL' }, ...ids);
const segmented = (about: string, exchanges: Exchange[]): Case =>
  caseNotOnCluster('textSegmentation', { section: 'search 4.16', about, exchanges });
const marked = (titles: Readonly<Record<string, string>>) =>
  expect.objectContaining({
    hits: expect.arrayContaining(
      Object.entries(titles).map(([_id, title]) =>
        expect.objectContaining({ _id, _lexicalHighlights: { title: [title] } }),
      ),
    ),
  });
const finding = (about: string, found: Readonly<Record<string, string[]>>): Case =>
  segmented(
    about,
    CUT.flatMap((index) => Object.entries(found).map(([q, ids]) => lexical(index, q, ...ids))),
  );

const cases: Case[] = [
  {
    section: 'search 4.16',
    about: 'pairs match across the borders of words',
    exchanges: [lexical('paired', '"究生"', 'student', 'life'), lexical('paired', '"京都"', 'kyoto', 'tokyo')],
  },
  finding('words match, and pairs across their borders do not', {
    研究: ['life'],
    研究生: ['student'],
    '"究生"': [],
    手机: ['case'],
    '"机壳"': [],
    京都: ['kyoto'],
    東京: ['tokyo'],
    ข้าว: ['rice'],
    ขาว: ['white'],
    '"วผ"': [],
  }),
  finding('Korean stays in pairs', { 한국: ['school'], 학교: ['school'] }),
  finding('words of a phrase stand side by side', {
    '"研究生命"': ['life'],
    '"研究起源"': [],
    '"ข้าวผัด"': ['rice'],
    '"ผัดข้าว"': [],
  }),
  segmented(
    'highlights mark words',
    CUT.map((index) => ({
      request: `POST /indexes/${index}/search`,
      body: { q: '生命 กุ้ง', searchMethod: 'LEXICAL', lexicalHighlights: true },
      status: 200,
      answer: marked({ rice: 'ข้าวผัด<em>กุ้ง</em>', life: '科学家研究<em>生命</em>的起源' }),
    })),
  ),
  segmented('the settings show it', [hasSettings('cut', shown(words))]),
  {
    section: 'search 4.16',
    about: 'an update of the settings cannot change it',
    exchanges: [
      {
        request: 'PATCH /indexes/paired/index-settings',
        body: { modelProperties: { type: 'no_model', dimensions: 2 }, ...words },
        ...unprocessable(problems.extra(inBody('textSegmentation'))),
      },
    ],
  },
  {
    section: 'search 4.16',
    about: 'pairs are shown where they were asked for, and nothing where it was null',
    exchanges: [
      create('asked', own(2, { textSegmentation: 'pairs' })),
      hasSettings('asked', shown({ textSegmentation: 'pairs' })),
      create('null', own(2, { textSegmentation: null })),
      hasSettings('null', shown({})),
    ],
  },
  {
    section: 'search 4.16',
    about: 'another value is refused',
    exchanges: ['letters', 1].map((textSegmentation) => ({
      request: 'POST /indexes/other',
      body: own(2, { textSegmentation }),
      ...unprocessable(problems.oneOf(inBody('textSegmentation'), ['pairs', 'words'])),
    })),
  },
];

const preparation = [
  create('paired', own(2)),
  add('paired', documents, { tensorFields: [] }),
  ...[
    create('cut', own(2, words)),
    create('cut_declared', { ...structured([field('title', 'text', 'lexical_search')]), ...words }),
    add('cut', documents, { tensorFields: [] }),
    add('cut_declared', documents),
  ].map(notOnCluster('textSegmentation')),
];

export const segmentedWords: Part = {
  title: 'Words of scripts without blanks',
  environment: { MARQO_ENABLE_OPS_API: 'true' },
  preparation,
  cases,
};
