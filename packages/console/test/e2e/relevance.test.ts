import { rmSync } from 'node:fs';
import type { Browser, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { ConsolePage, chromiumPath, openBrowser } from './console-page.js';

const hostile = '<img src=http://other.test/x onerror=alert(1)>';
const documents = [
  { _id: 'g1', title: 'Down jacket', about: 'Warm, for frost.' },
  { _id: 'g2', title: 'Rain coat', about: 'A jacket that keeps rain out, a jacket for storms.' },
  { _id: 'g3', title: `${hostile} jacket`, about: 'Nothing.' },
  { _id: 'g4', title: 'Family tent', about: 'Room for five.' },
];
const byTitle = '{"searchMethod": "LEXICAL", "searchableAttributes": ["title"]}';
const byText = '{"searchMethod": "LEXICAL", "searchableAttributes": ["about"]}';

describe.skipIf(chromiumPath === undefined)('the relevance lab', () => {
  const data = emptyFolder('console-relevance');
  let server: ServerProcess;
  let browser: Browser;
  let shown: ConsolePage;
  const flags = ['--data', data, '--hub', 'none'];
  const fill = async () => {
    await server.ok('POST', '/indexes/gear', { model: 'random/small' });
    await server.ok('POST', '/indexes/gear/documents', { documents, tensorFields: [] });
  };
  beforeAll(async () => {
    server = await ServerProcess.start(flags);
    await fill();
    browser = await openBrowser();
  });
  beforeEach(async () => {
    for (const { setName } of (await server.ok('GET', '/judgement-sets')).results) {
      await server.ok('DELETE', `/judgement-sets/${setName}`);
    }
  });
  afterEach(() => shown?.close());
  afterAll(async () => {
    await browser?.close();
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  const open = async (place: string, address = server.address) => {
    shown = await ConsolePage.open(browser, address);
    await shown.go(place);
    return shown.page;
  };
  const way = (side: string) => shown.page.getByRole('group', { name: `Way ${side} to search` });
  const hits = (q: string) => shown.page.getByRole('region', { name: `Hits of “${q}”` });
  const restart = async () => {
    const { address } = server;
    await server.end();
    server = await ServerProcess.start(flags, { port: Number(new URL(address).port) });
  };
  const put = (name: string, queries: readonly object[]) => server.ok('PUT', `/judgement-sets/${name}`, { queries });
  const stored = async (name: string) => (await server.ok('GET', `/judgement-sets/${name}`)).queries;
  const untilStored = async (name: string, queries: readonly object[]) => {
    while (JSON.stringify(await stored(name)) !== JSON.stringify(queries)) await new Promise(setImmediate);
  };
  /** Chooses two ways to search and starts the comparison. */
  const compare = async (first: string, second: string) => {
    await way('A').getByLabel('Members of the search').fill(first);
    await way('B').getByLabel('Members of the search').fill(second);
    await shown.page.getByRole('button', { name: /^Compare by/ }).click();
  };

  test('a set is made, graded by the keyboard, compared by, and there after a restart', async () => {
    const page = await open('relevance');
    await page.getByText('No set of judgements yet').waitFor();
    await shown.expectAccessible();
    await page.getByRole('button', { name: 'New set' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the set').fill('Outdoor Gear');
    await page.keyboard.press('Enter');
    await dialog.getByText('A set cannot have this name').waitFor();
    await shown.expectAccessible();
    await dialog.getByLabel('Name of the set').fill('outdoor');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'outdoor' }).waitFor();
    await page.getByLabel('New query').fill('jacket');
    await page.keyboard.press('Enter');
    await hits('jacket').getByText(`${hostile} jacket`, { exact: true }).waitFor();
    await shown.expectAccessible();
    // The first three hits get 3, nothing and 1, without a hand at the mouse.
    const rows = hits('jacket').getByRole('listitem');
    await hits('jacket').getByRole('radio', { name: 'not judged' }).first().focus();
    const ids = await rows.locator('code').allTextContents();
    await page.keyboard.press('3');
    await page.keyboard.press('j');
    await page.keyboard.press('1');
    const grades = { [ids[0] as string]: 3, [ids[2] as string]: 1 };
    await untilStored('outdoor', [{ q: 'jacket', judgements: grades }]);
    // Now the same for all, whatever the order was.
    await server.ok('DELETE', '/judgement-sets/outdoor');
    await put('outdoor', [
      { q: 'jacket', judgements: { g1: 3, g2: 1 } },
      { q: 'family', judgements: { g4: 2 } },
    ]);
    await page.reload();
    await page.getByRole('link', { name: 'Compare' }).click();
    await compare(byTitle, byText);
    const figures = page.getByRole('region', { name: 'Figures', exact: true });
    await figures.getByRole('cell', { name: '0 / 2 / 0' }).first().waitFor();
    // g1 and g3 by title, g1 the better or at most second; g2 alone by text: recall is 3/4 of both queries, and 1/4.
    await figures.getByRole('row', { name: /^Recall@20 0\.750 .* 0\.250 / }).waitFor();
    await figures.getByText('of 95 %').waitFor();
    await shown.expectAccessible();
    await page.getByRole('button', { name: 'jacket' }).click();
    await hits('jacket').getByText('not in A').waitFor();
    await hits('jacket').getByText(`${hostile} jacket`, { exact: true }).waitFor();
    await shown.expectAccessible();
    // A hit that nobody judged is graded where it stands, and the figures follow.
    const row = hits('jacket').getByRole('listitem').filter({ hasText: hostile });
    await row.getByText('not judged').waitFor();
    await row.getByRole('radio', { name: '2: answers it well' }).focus();
    await page.keyboard.press('2');
    await figures.getByRole('row', { name: /^Recall@20 0\.833 / }).waitFor();
    const all = [
      { q: 'jacket', judgements: { g1: 3, g2: 1, g3: 2 } },
      { q: 'family', judgements: { g4: 2 } },
    ];
    await untilStored('outdoor', all);
    expect(await page.locator('main img').count()).toBe(0);
    shown.expectClean();
    await restart();
    expect(await stored('outdoor')).toEqual(all);
    await page.reload();
    await page.getByRole('link', { name: 'Judge' }).click();
    await page.getByRole('option', { name: 'jacket (3 grades)' }).waitFor({ state: 'attached' });
  });

  test('a file of qrels with texts of its queries becomes a set', async () => {
    const page = await open('relevance');
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
    await shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Store the set' }).click();
    await page.getByRole('heading', { name: 'imported' }).waitFor();
    expect(await stored('imported')).toEqual([
      { q: hostile, judgements: { g1: 3, g2: 3 } },
      { q: 'family tent', judgements: { g4: 2 } },
    ]);
    await shown.expectAccessible();
    await page.getByRole('link', { name: 'All sets' }).click();
    await page.getByRole('button', { name: 'Delete imported' }).click();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('No set of judgements yet').waitFor();
    shown.expectClean();
  });

  test('a comparison runs few searches at once, says how far it is, and can be stopped', async () => {
    const queries = Array.from({ length: 12 }, (_, at) => ({ q: `jacket ${at}`, judgements: { g1: 3 } }));
    await put('many', queries);
    const page = await open('relevance/many/compare');
    await compare(byTitle, byText);
    await page.getByRole('cell', { name: '0 / 12 / 0' }).first().waitFor();
    const held: Route[] = [];
    await page.route('**/search', (route) => void held.push(route));
    await page.getByRole('button', { name: /^Compare by/ }).click();
    await page.getByText('0 of 12 queries done').waitFor();
    await expect.poll(() => held.length).toBe(4);
    await shown.expectAccessible();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The comparison ended early').waitFor();
    expect(held.length).toBe(4);
    shown.expectClean();
  });

  test('faults of a way to search, and an index that was deleted elsewhere, are told with what to do', async () => {
    await put('gear', [{ q: 'jacket', judgements: { g1: 3 } }]);
    await server.ok('POST', '/indexes/brief', { model: 'random/small' });
    const page = await open('relevance/gear/compare');
    await way('A').getByLabel('Index', { exact: true }).selectOption('gear');
    await compare('{', byText);
    await page.getByText('This is no JSON yet').waitFor();
    await page.getByText('Choose an index first').waitFor();
    await way('B').getByLabel('Index', { exact: true }).selectOption('brief');
    await compare('{"limit": 3}', byText);
    await page.getByText('Leave limit out').waitFor();
    await shown.expectAccessible();
    await compare('{"searchMethod": "GUESS"}', byText);
    await page.getByText(/^Way A to search: /).waitFor();
    await server.ok('DELETE', '/indexes/brief');
    await compare(byTitle, byText);
    await page.getByText('Way B to search: Index brief not found').waitFor();
    await page.getByText('It may have been deleted or renamed elsewhere').waitFor();
    await shown.expectAccessible();
    shown.expectClean(/status of 4\d\d/);
  });

  test('a set that somebody else changed is told, and a lost server keeps no grade from being stored later', async () => {
    await put('gear', [{ q: 'jacket', judgements: {} }]);
    const page = await open('relevance/gear');
    await page.getByLabel('Index', { exact: true }).selectOption('gear');
    const radio = () =>
      hits('jacket').getByRole('listitem').filter({ hasText: 'g1' }).getByRole('radio', { name: /^3/ });
    await radio().waitFor();
    await put('gear', [{ q: 'jacket', judgements: { g4: 0 } }]);
    await radio().check({ force: true });
    await page.getByText('Somebody else changed this set').waitFor();
    await shown.expectAccessible();
    await page.getByRole('button', { name: 'Load the set again' }).click();
    await page.getByText('Documents with grades that are not among').waitFor();
    const { address } = server;
    await server.end();
    await radio().check({ force: true });
    await page.getByText('The server gives no answer.').waitFor();
    await page.getByText('Not stored yet').waitFor();
    server = await ServerProcess.start(flags, { port: Number(new URL(address).port) });
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('Stored', { exact: true }).waitFor();
    expect(await stored('gear')).toEqual([{ q: 'jacket', judgements: { g4: 0, g1: 3 } }]);
    shown.expectClean(/status of 412|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/);
  });

  test('a key that does not manage all indexes is told what it lacks', async () => {
    const folder = emptyFolder('console-relevance-key');
    const locked = await ServerProcess.start(['--data', folder, '--hub', 'none']);
    try {
      const { secret } = await locked.ok('POST', '/api/v2/keys', { name: 'boss', scope: 'admin' });
      const made = await locked.call('POST', '/api/v2/keys', { name: 'reader', scope: 'read' }, secret);
      const page = await open('relevance', locked.address);
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('API key').fill(made.body.secret);
      await dialog.getByRole('button', { name: 'Use this key' }).click();
      await page.getByText('This operation requires an admin-scoped API key.').waitFor();
      await page.getByText('Use a key of a higher scope').waitFor();
      await shown.expectAccessible();
      shown.expectClean(/status of 40[13]/);
    } finally {
      await locked.end();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
