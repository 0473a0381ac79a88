import { readFileSync } from 'node:fs';
import type { Route } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { PATIENCE_MS } from './console-page.js';
import { describeConsole } from './own-console.js';

const hostile = '<img src=http://other.test/x onerror=alert(1)>';
const documents = [
  { _id: 'g1', title: 'Down jacket', about: 'Warm, for frost.' },
  { _id: 'g2', title: 'Rain coat', about: 'A jacket that keeps rain out, a jacket for storms.' },
  { _id: 'g3', title: `${hostile} jacket`, about: 'Nothing.' },
  { _id: 'g4', title: 'Family tent', about: 'Room for five.' },
];
/** Queries of the set of many, as many as a set may have where somebody times it by hand. */
const MANY = Number(process.env.PELORUS_LAB_QUERIES ?? 60);

const within = { timeout: PATIENCE_MS };
const byTitle = '{"searchMethod": "LEXICAL", "searchableAttributes": ["title"]}';
const byText = '{"searchMethod": "LEXICAL", "searchableAttributes": ["about"]}';

const fill = async (server: ServerProcess) => {
  await server.ok('POST', '/indexes/gear', { model: 'random/small' });
  await server.ok('POST', '/indexes/gear/documents', { documents, tensorFields: [] });
};

describeConsole('the relevance lab', { fill }, (own) => {
  beforeEach(async () => {
    for (const { setName } of (await own.server.ok('GET', '/judgement-sets')).results) {
      await own.server.ok('DELETE', `/judgement-sets/${setName}`);
    }
  });
  const put = (name: string, queries: readonly object[], server = own.server) =>
    server.ok('PUT', `/judgement-sets/${name}`, { queries });
  const stored = async (name: string, server = own.server) =>
    (await server.ok('GET', `/judgement-sets/${name}`)).queries;
  const way = (side: string) => own.shown.page.getByRole('group', { name: `Way ${side} to search` });
  const hits = (q: string) => own.shown.page.getByRole('region', { name: `Hits of “${q}”` });
  const untilStored = async (name: string, queries: readonly object[], server: ServerProcess) => {
    while (JSON.stringify(await stored(name, server)) !== JSON.stringify(queries)) await new Promise(setImmediate);
  };
  /** A server on a folder of its own, and its start anew at the same address. */
  const startOwn = async () => {
    const flags = ['--data', own.folder(), '--hub', 'none'];
    const first = await ServerProcess.start(flags);
    await fill(first);
    const port = Number(new URL(first.address).port);
    return { first, again: () => ServerProcess.start(flags, { port }) };
  };
  /** Chooses two ways to search and starts the comparison. */
  const compare = async (first: string, second: string) => {
    await way('A').getByLabel('Members of the search').fill(first);
    await way('B').getByLabel('Members of the search').fill(second);
    await own.shown.page.getByRole('button', { name: /^Compare by/ }).click();
  };

  test('a set is made, graded by the keyboard, compared by, and there after a restart', async () => {
    const { first, again } = await startOwn();
    let server = first;
    try {
      const page = await own.open('relevance', server.address);
      await page.getByText('No set of judgements yet').waitFor();
      await own.shown.expectAccessible();
      await page.getByRole('button', { name: 'New set' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name of the set').fill('Outdoor Gear');
      await page.keyboard.press('Enter');
      await dialog.getByText('A set cannot have this name').waitFor();
      await own.shown.expectAccessible();
      await dialog.getByLabel('Name of the set').fill('outdoor');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'outdoor' }).waitFor();
      await page.getByLabel('New query').fill('jacket');
      await page.keyboard.press('Enter');
      await hits('jacket').getByText(`${hostile} jacket`, { exact: true }).waitFor();
      await own.shown.expectAccessible();
      // The first three hits get 3, nothing and 1, without a hand at the mouse.
      const rows = hits('jacket').getByRole('listitem');
      await hits('jacket').getByRole('radio', { name: 'not judged' }).first().focus();
      const ids = await rows.locator('code').allTextContents();
      await page.keyboard.press('3');
      await page.keyboard.press('j');
      await page.keyboard.press('1');
      const grades = { [ids[0] as string]: 3, [ids[2] as string]: 1 };
      await untilStored('outdoor', [{ q: 'jacket', judgements: grades }], server);
      // Now the same for all, whatever the order was.
      await server.ok('DELETE', '/judgement-sets/outdoor');
      await put(
        'outdoor',
        [
          { q: 'jacket', judgements: { g1: 3, g2: 1 } },
          { q: 'family', judgements: { g4: 2 } },
        ],
        server,
      );
      await page.reload();
      await page.getByRole('link', { name: 'Compare' }).click();
      await compare(byTitle, byText);
      const figures = page.getByRole('region', { name: 'Figures', exact: true });
      await figures.getByRole('cell', { name: '0 / 2 / 0' }).first().waitFor();
      // g1 and g3 by title, g1 the better or at most second; g2 alone by text: recall is 3/4 of both queries, and 1/4.
      await figures.getByRole('row', { name: /^Recall@20 .* 0\.750 .* 0\.250 / }).waitFor();
      await figures.getByText('of 95 %').waitFor();
      // A has all of both queries, and two show nothing.
      await figures.getByText('Too few queries to say').first().waitFor();
      expect(await figures.getByText('A is better').count()).toBe(0);
      await own.shown.expectAccessible();
      await page.getByRole('button', { name: 'jacket' }).click();
      await hits('jacket').getByText('not in A').waitFor();
      await hits('jacket').getByText(`${hostile} jacket`, { exact: true }).waitFor();
      await own.shown.expectAccessible();
      // A hit that nobody judged is graded where it stands, and the figures follow.
      const row = hits('jacket').getByRole('listitem').filter({ hasText: hostile });
      await row.getByText('not judged').waitFor();
      await row.getByRole('radio', { name: '2: answers it well' }).focus();
      await page.keyboard.press('2');
      await figures.getByRole('row', { name: /^Recall@20 .* 0\.833 / }).waitFor();
      const all = [
        { q: 'jacket', judgements: { g1: 3, g2: 1, g3: 2 } },
        { q: 'family', judgements: { g4: 2 } },
      ];
      await untilStored('outdoor', all, server);
      expect(await page.locator('main img').count()).toBe(0);
      own.shown.expectClean();
      await server.end();
      server = await again();
      expect(await stored('outdoor', server)).toEqual(all);
      await page.reload();
      await page.getByRole('link', { name: 'Judge' }).click();
      await page.getByRole('option', { name: 'jacket (3 grades)' }).waitFor({ state: 'attached' });
    } finally {
      await server.end();
    }
  });

  test('a file of qrels with texts of its queries becomes a set', async () => {
    const page = await own.open('relevance');
    await page.getByRole('button', { name: 'Import a set' }).click();
    const dialog = page.getByRole('dialog');
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    const judged = dialog.getByLabel('File of judgements');
    await judged.setInputFiles(file('bad.qrels', '1 0 g1 3\n1 0 g2\n'));
    await dialog.getByText('Line 2 does not have four columns').waitFor();
    await judged.setInputFiles(file('gear.qrels', `1 0 g1 3\n1 0 g2 4\n2 0 g4 2\n`));
    await dialog
      .getByLabel('Texts of the queries')
      .setInputFiles(file('topics.tsv', `1\t${hostile}\n2\tfamily tent\n`));
    await dialog.getByText('2 queries with 3 grades').waitFor();
    await dialog.getByText('1 grade was below 0 or above 3').waitFor();
    await dialog.getByLabel('Name of the set').fill('imported');
    await own.shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Store the set' }).click();
    await page.getByRole('heading', { name: 'imported' }).waitFor();
    expect(await stored('imported')).toEqual([
      { q: hostile, judgements: { g1: 3, g2: 3 } },
      { q: 'family tent', judgements: { g4: 2 } },
    ]);
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'All sets' }).click();
    await page.getByRole('button', { name: 'Delete imported' }).click();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('No set of judgements yet').waitFor();
    own.shown.expectClean();
  });

  test('a comparison runs few searches at once, says how far it is, and can be stopped', async () => {
    const queries = Array.from({ length: 12 }, (_, at) => ({ q: `jacket ${at}`, judgements: { g1: 3 } }));
    await put('many', queries);
    const page = await own.open('relevance/many/compare');
    await compare(byTitle, byText);
    await page.getByRole('cell', { name: '0 / 12 / 0' }).first().waitFor();
    const held: Route[] = [];
    await page.route('**/search', (route) => void held.push(route));
    await page.getByRole('button', { name: /^Compare by/ }).click();
    await page.getByText('0 of 12 queries done').waitFor();
    await expect.poll(() => held.length).toBe(4);
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The comparison ended early').waitFor();
    expect(held.length).toBe(4);
    own.shown.expectClean();
  });

  test(`a set of ${MANY} queries is compared, with progress, while the page answers keys`, async () => {
    const words = ['jacket', 'rain', 'tent', 'warm', 'storms', 'five'];
    const queries = Array.from({ length: MANY }, (_, at) => ({
      q: `${words[at % words.length]} ${at}`,
      judgements: Object.fromEntries(Array.from({ length: 20 }, (_, id) => [`g${id + 1}`, (at + id) % 4])),
    }));
    await put('many', queries);
    const page = await own.open('relevance/many/compare');
    for (const side of ['A', 'B']) await way(side).getByLabel('Index', { exact: true }).selectOption('gear');
    // The first four searches wait until somebody has typed beside them.
    const held: Route[] = [];
    await page.route('**/search', (route) => void held.push(route), { times: 4 });
    await compare(byTitle, byText);
    const name = page.getByLabel('Save both ways to search as');
    await page.getByText(`0 of ${queries.length.toLocaleString('en')} queries done`).waitFor();
    await expect.poll(() => held.length, within).toBe(4);
    await name.pressSequentially('typed while it runs');
    expect(await name.inputValue()).toBe('typed while it runs');
    const begun = performance.now();
    await Promise.all(held.map((route) => route.continue()));
    await page
      .getByRole('region', { name: 'Figures', exact: true })
      .getByRole('row', { name: /^nDCG@10 / })
      .waitFor();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    await page.locator('.query-button').first().click();
    await page.getByRole('radio', { name: /^3/ }).first().focus();
    for (const grade of ['0', '3', '1']) await page.keyboard.press(grade);
    await page.getByText('Stored', { exact: true }).waitFor();
    console.log(
      `${MANY} queries by two ways: ${seconds} s; slowest key or click: ${await own.shown.slowestInteractionMs()} ms`,
    );
    own.shown.expectClean();
  });

  test('members of the way that ranks better are kept for its index, told with its rules, and rolled back', async () => {
    const words = ['anvil', 'bellows', 'chisel', 'drill', 'easel', 'file'];
    const weighed = words.flatMap((word) => [
      { _id: `${word} named`, title: `${word} of a very good kind`, about: 'Nothing.' },
      { _id: `${word} told`, title: 'Thing', about: `${word} ${word} ${word}` },
    ]);
    await own.server.ok('POST', '/indexes/weighed', { model: 'random/small' });
    await own.server.ok('POST', '/indexes/weighed/documents', { documents: weighed, tensorFields: [] });
    await put(
      'weighed',
      words.map((q) => ({ q, judgements: { [`${q} named`]: 3 } })),
    );
    const kept = async () => (await own.server.ok('GET', '/indexes/weighed/curation')).searchDefaults;
    const page = await own.open('relevance/weighed/compare');
    for (const side of ['A', 'B']) await way(side).getByLabel('Index', { exact: true }).selectOption('weighed');
    const better =
      '{"searchMethod": "LEXICAL", "fieldWeights": {"title": 10}, "phraseSlop": 1, "trackTotalHits": true}';
    await compare('{"searchMethod": "LEXICAL"}', better);
    await page.getByText('B seems better: add queries to be sure').first().waitFor();
    const winner = page.getByRole('region', { name: 'Keep B for weighed' });
    await winner
      .getByText(
        'Not kept, so that searches still have to name them: the method (searchMethod), the count of all hits (trackTotalHits).',
      )
      .waitFor();
    await winner.getByRole('button', { name: 'Keep for this index…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Words count in title 10 times as much.').waitFor();
    await own.shown.expectAccessible();
    // Somebody else changes the rules before this is confirmed.
    const others = { synonyms: [{ terms: ['anvil', 'block'] }], searchDefaults: { phraseSlop: 3, prefix: 'last' } };
    await own.server.ok('PUT', '/indexes/weighed/curation', others);
    await dialog.getByRole('button', { name: 'Keep for this index', exact: true }).click();
    await dialog.getByText('are of version 1, not 0').waitFor();
    await dialog.getByText('Search default of phraseSlop changed.').waitFor();
    await dialog.getByRole('button', { name: 'Keep for this index', exact: true }).click();
    await winner.getByText('All members of B that an index can hold are search defaults of weighed.').waitFor();
    const now = { fieldWeights: { title: 10 }, phraseSlop: 1, prefix: 'last' };
    expect(await own.server.ok('GET', '/indexes/weighed/curation')).toMatchObject({
      ...{ version: 2, synonyms: others.synonyms, searchDefaults: now },
    });
    for (const q of words) {
      const { hits } = await own.server.ok('POST', '/indexes/weighed/search', { q, searchMethod: 'LEXICAL' });
      expect(hits[0]._id).toBe(`${q} named`);
    }
    await own.shown.expectAccessible();
    await winner.getByRole('link', { name: 'Rules and search defaults of this index' }).click();
    const part = page.getByRole('region', { name: 'Search defaults', exact: true });
    await part.getByText('Words count in title 10 times as much.').waitFor();
    await part.getByText('The last word also finds words that it begins.').waitFor();
    await own.shown.expectAccessible();
    await part.getByRole('button', { name: 'Remove the default of prefix' }).click();
    await part.getByText('The last word also finds').waitFor({ state: 'detached' });
    expect(await kept()).toEqual({ fieldWeights: { title: 10 }, phraseSlop: 1 });
    const versions = page.getByRole('region', { name: 'Versions', exact: true });
    await versions.getByText('Search default of prefix removed').waitFor();
    await versions.getByRole('button', { name: 'Roll back to version 0' }).click();
    await dialog.getByText('Search default of fieldWeights removed').waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await part.getByText('No search defaults yet').waitFor();
    expect(await kept()).toBeUndefined();
    own.shown.expectClean(/status of 412/);
  });

  test('graded documents that a search does not find are told by their titles', async () => {
    await put('gear', [{ q: 'jacket', judgements: { g4: 2, gone: 3 } }]);
    const page = await own.open('relevance/gear');
    await page.getByLabel('Index', { exact: true }).selectOption('gear');
    const others = page.getByRole('region', { name: 'Documents with grades that are not among these hits' });
    await others.getByText('Family tent', { exact: true }).waitFor();
    await others.getByText('g4', { exact: true }).waitFor();
    await others.getByText('gone', { exact: true }).waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await compare(byTitle, byText);
    await page.getByRole('button', { name: 'jacket' }).click();
    const missed = hits('jacket').locator('.missed');
    await missed.getByText('Family tent').waitFor();
    expect(await missed.locator('code').allTextContents()).toEqual(['g4', 'gone']);
    await own.shown.expectAccessible();
    own.shown.expectClean();
  });

  test('both ways to search are saved with the set, loaded, replaced and deleted', async () => {
    await put('gear', [{ q: 'jacket', judgements: { g1: 3 } }]);
    const saved = async () => (await own.server.ok('GET', '/judgement-sets/gear')).configurations;
    const page = await own.open('relevance/gear/compare');
    const part = page.getByRole('region', { name: 'Saved configurations' });
    const members = (side: string) => way(side).getByLabel('Members of the search');
    await part.getByRole('button', { name: 'Save' }).click();
    await part.getByText('Give it a name first').waitFor();
    await part.getByLabel('Save both ways').fill(hostile);
    for (const side of ['A', 'B']) await way(side).getByLabel('Index', { exact: true }).selectOption('gear');
    await members('A').fill('{"searchMethod": "LEXICAL", "mediaDownloadHeaders": {"a": "secret"}}');
    await members('B').fill('{');
    await page.keyboard.press('Tab');
    await part.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Leave mediaDownloadHeaders out').waitFor();
    await page.getByText('This is no JSON yet').waitFor();
    await own.shown.expectAccessible();
    await members('A').fill(byTitle);
    await members('B').fill(byText);
    await page.getByLabel('Hits of each search').selectOption('50');
    await part.getByRole('button', { name: 'Save' }).click();
    const row = part.getByRole('row').filter({ hasText: hostile });
    await row.waitFor();
    await page.getByText('Stored', { exact: true }).waitFor();
    const [first, second] = [byTitle, byText].map((text) => ({ index: 'gear', search: JSON.parse(text) }));
    await expect.poll(saved, within).toEqual([{ name: hostile, limit: 50, first, second }]);
    await own.shown.expectAccessible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    const file = JSON.parse(readFileSync(await (await download).path(), 'utf8'));
    expect(file).toEqual({ queries: [{ q: 'jacket', judgements: { g1: 3 } }], configurations: await saved() });
    // Somebody else opens the set, and has the same pair at hand.
    await page.reload();
    await row.getByRole('button', { name: /^Load/ }).click();
    await expect.poll(() => members('A').inputValue(), within).toBe(JSON.stringify(JSON.parse(byTitle), null, 2));
    await page.getByRole('button', { name: /^Compare by/ }).click();
    await page.getByRole('region', { name: 'Figures', exact: true }).getByText('Recall@50').waitFor();
    await members('A').fill('{}');
    await part.getByRole('button', { name: 'Replace' }).click();
    await expect
      .poll(saved, within)
      .toEqual([{ name: hostile, limit: 50, first: { index: 'gear', search: {} }, second }]);
    // A grade that is given afterwards leaves the pair where it is.
    await page.getByRole('link', { name: 'Judge', exact: true }).click();
    await page.getByLabel('New query').fill('tent');
    await page.keyboard.press('Enter');
    await untilStored(
      'gear',
      [
        { q: 'jacket', judgements: { g1: 3 } },
        { q: 'tent', judgements: {} },
      ],
      own.server,
    );
    expect(await saved()).toHaveLength(1);
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await row.getByRole('button', { name: /^Delete/ }).click();
    await own.shown.expectAccessible();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(saved, within).toEqual([]);
    own.shown.expectClean();
  });

  test('faults of a way to search, and an index that was deleted elsewhere, are told with what to do', async () => {
    await put('gear', [{ q: 'jacket', judgements: { g1: 3 } }]);
    await own.server.ok('POST', '/indexes/brief', { model: 'random/small' });
    const page = await own.open('relevance/gear/compare');
    await compare(byTitle, byText);
    await page.getByText('Choose an index first').first().waitFor();
    await way('A').getByLabel('Index', { exact: true }).selectOption('gear');
    await compare('{', byText);
    await page.getByText('This is no JSON yet').waitFor();
    await way('B').getByLabel('Index', { exact: true }).selectOption('brief');
    await compare('{"limit": 3}', byText);
    await page.getByText('Leave limit out').waitFor();
    await own.shown.expectAccessible();
    await compare('{"searchMethod": "GUESS"}', byText);
    await page.getByText(/^Way A to search: /).waitFor();
    await own.server.ok('DELETE', '/indexes/brief');
    await compare(byTitle, byText);
    await page.getByText('Way B to search: Index brief not found').waitFor();
    await page.getByText('It may have been deleted or renamed elsewhere').waitFor();
    await own.shown.expectAccessible();
    own.shown.expectClean(/status of 4\d\d/);
  });

  test('a set that somebody else changed is told, and a lost server keeps no grade from being stored later', async () => {
    const { first, again } = await startOwn();
    let server = first;
    try {
      await put('gear', [{ q: 'jacket', judgements: {} }], server);
      const page = await own.open('relevance/gear', server.address);
      await page.getByLabel('Index', { exact: true }).selectOption('gear');
      const radio = () =>
        hits('jacket').getByRole('listitem').filter({ hasText: 'g1' }).getByRole('radio', { name: /^3/ });
      await radio().waitFor();
      await put('gear', [{ q: 'jacket', judgements: { g4: 0 } }], server);
      await radio().check({ force: true });
      await page.getByText('Somebody else changed this set').waitFor();
      await own.shown.expectAccessible();
      await page.getByRole('button', { name: 'Load the set again' }).click();
      await page.getByText('Documents with grades that are not among').waitFor();
      await server.end();
      await radio().check({ force: true });
      await page.getByText('The server gives no answer.').waitFor();
      await page.getByText('Not stored yet').waitFor();
      server = await again();
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('Stored', { exact: true }).waitFor();
      expect(await stored('gear', server)).toEqual([{ q: 'jacket', judgements: { g4: 0, g1: 3 } }]);
      own.shown.expectClean(/status of 412|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/);
    } finally {
      await server.end();
    }
  });

  test('an index that words alone search is searched by words, and stays that of its set', async () => {
    const words = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 1 } };
    const pans = [
      { _id: 'p1', title: 'Pfanne aus Eisen', preis: 30 },
      { _id: 'p2', title: 'Pfanne', preis: 5 },
    ];
    await own.server.ok('POST', '/indexes/laden', words);
    await own.server.ok('POST', '/indexes/laden/documents', { documents: pans, tensorFields: [] });
    await own.server.ok('POST', '/indexes/other', { model: 'random/small' });
    await put('pans', [{ q: 'pfanne', judgements: { p1: 3 } }]);
    const page = await own.open('relevance/pans');
    await page.getByLabel('Index', { exact: true }).selectOption('laden');
    await hits('pfanne').getByText('Pfanne aus Eisen', { exact: true }).waitFor();
    await page.getByText('This index has no vectors').waitFor();
    expect(await page.getByLabel('Hits found by').locator('option').allTextContents()).toEqual(['Words']);
    await own.shown.expectAccessible();
    await page.reload();
    await hits('pfanne').getByText('Pfanne aus Eisen', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await way('B').getByText('This index has no vectors').waitFor();
    for (const side of ['A', 'B']) {
      expect(await way(side).getByLabel('Index', { exact: true }).inputValue()).toBe('laden');
      expect(await way(side).getByLabel('Members of the search').inputValue()).toContain('LEXICAL');
    }
    expect(
      await way('B')
        .getByLabel('Begin with')
        .getByRole('option', { name: /meaning|both/ })
        .count(),
    ).toBe(0);
    await way('B').getByLabel('Begin with').selectOption('With a field of numbers');
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: /^Compare by/ }).click();
    await page
      .getByRole('region', { name: 'Figures', exact: true })
      .getByRole('row', { name: /^nDCG@10 / })
      .waitFor();
    own.shown.expectClean();
  });

  test('members of a way that is ahead by few queries are kept after a warning', async () => {
    const pans = [
      { _id: 'p1', title: 'Iron pan', about: 'Nothing.' },
      { _id: 'p2', title: 'Thing', about: 'pan pan pan' },
    ];
    await own.server.ok('POST', '/indexes/few', { model: 'random/small' });
    await own.server.ok('POST', '/indexes/few/documents', { documents: pans, tensorFields: [] });
    await put('few', [{ q: 'pan', judgements: { p1: 3 } }]);
    const page = await own.open('relevance/few/compare');
    for (const side of ['A', 'B']) await way(side).getByLabel('Index', { exact: true }).selectOption('few');
    await compare('{"searchMethod": "LEXICAL"}', '{"searchMethod": "LEXICAL", "fieldWeights": {"title": 10}}');
    await page.getByText('Too few queries to say: 6 with a relevant document are needed').first().waitFor();
    const doubt = 'B is ahead by 1 query with a relevant document, which may be chance.';
    const lead = page.getByRole('region', { name: 'Keep B for few' });
    await lead.getByText(doubt).waitFor();
    await lead.getByRole('button', { name: 'Keep anyway…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(doubt).waitFor();
    await own.shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Keep anyway', exact: true }).click();
    await lead.getByText('are search defaults of few.').waitFor();
    expect((await own.server.ok('GET', '/indexes/few/curation')).searchDefaults).toEqual({
      fieldWeights: { title: 10 },
    });
    own.shown.expectClean();
  });

  test('a key that does not manage all indexes is told what it lacks', async () => {
    const locked = await own.startOther();
    try {
      const { secret } = await locked.ok('POST', '/api/v2/keys', { name: 'boss', scope: 'admin' });
      const made = await locked.call('POST', '/api/v2/keys', { name: 'reader', scope: 'read' }, secret);
      const page = await own.open('relevance', locked.address);
      await own.shown.useKey(made.body.secret);
      await page.getByText('This operation requires an admin-scoped API key.').waitFor();
      await page.getByText('Use a key of a higher scope').waitFor();
      await own.shown.expectAccessible();
      own.shown.expectClean(/status of 40[13]/);
    } finally {
      await locked.end();
    }
  });
});
