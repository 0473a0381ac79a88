import { expect, test } from 'vitest';
import { type ServerProcess, withAdminKey } from '../../../cli/test/e2e/server-process.js';
import { untilReady } from './hosted-index.js';
import { describeConsole } from './own-console.js';

const hostile = '<img src=http://other.test onerror=alert(1)>';

const fill = async (server: ServerProcess) => {
  await server.ok('POST', '/api/v2/indexes/films', { model: 'random/small' });
  const endpoint = await untilReady(server, 'films');
  const documents = [
    { _id: 'f1', title: `${hostile} of the sea` },
    { _id: 'f2', title: 'A storm at sea' },
  ];
  await server.ok('POST', `${endpoint}/indexes/films/documents`, { documents, tensorFields: ['title'] });
};

describeConsole('the console of the hosted form', { flags: ['--hosted'], env: withAdminKey, fill }, (own) => {
  const open = async (place: string) => {
    const page = await own.open(place);
    await own.shown.useKey(withAdminKey.PELORUS_ADMIN_KEY);
    return page;
  };

  test('shows an index at its endpoint: figures, search and documents', async () => {
    const page = await open('indexes');
    await page.getByRole('link', { name: 'films' }).waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'films' }).click();
    await page.getByRole('heading', { name: 'At a glance' }).waitFor();
    await page.getByText('random/small').first().waitFor();
    expect(await page.getByRole('heading', { name: 'Aliases' }).count()).toBe(0);
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'Search', exact: true }).last().click();
    await page.getByRole('searchbox', { name: 'Query' }).fill('sea');
    await page.keyboard.press('Enter');
    const words = page.getByRole('region', { name: 'Words', exact: true });
    await words.getByText('2 found').waitFor();
    await words.getByText(hostile).waitFor();
    await words.getByRole('button', { name: 'Copy as code' }).click();
    await page
      .getByText(/\/e\/\w+\/indexes\/films\/search/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await own.shown.go('data/films');
    await page.getByText('1 to 2 of 2').waitFor();
    own.shown.expectClean(/status of 401/);
  });

  test('creates an index, waits until it answers, and deletes it', async () => {
    const page = await open('indexes');
    await page.getByRole('button', { name: 'Create an index' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the index').fill('made-here');
    await dialog.getByLabel('Model', { exact: true }).fill('random/small');
    await dialog.getByText('Share of the machine').click();
    await dialog.getByText('POST /api/v2/indexes/made-here').waitFor();
    await own.shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Create an index' }).click();
    await page.getByRole('heading', { name: 'At a glance' }).waitFor();
    expect((await own.server.ok('GET', '/api/v2/indexes/made-here/status')).indexStatus).toBe('READY');
    await page.getByRole('button', { name: 'Delete this index' }).click();
    await dialog.getByRole('textbox').fill('made-here');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'Indexes' }).waitFor();
    await page.getByRole('link', { name: 'films' }).waitFor();
    const status = async () => (await own.server.ok('GET', '/api/v2/indexes/made-here/status')).indexStatus;
    while ((await status()) !== 'DELETED') await new Promise((resolve) => setTimeout(resolve, 50));
    own.shown.expectClean(/status of 401/);
  });

  test('compares two ways to search at the endpoints of indexes, by grades that the control plane keeps', async () => {
    const queries = [{ q: 'storm', judgements: { f2: 3 } }];
    await own.server.ok('PUT', '/judgement-sets/films', { queries });
    const page = await open('relevance');
    await page.getByRole('link', { name: 'films' }).click();
    await page.getByRole('listitem').filter({ hasText: 'A storm at sea' }).first().waitFor();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Compare by 1 query' }).click();
    await page
      .getByRole('row', { name: /^MRR Too few queries to say: 6 with a relevant document are needed 1\.000 / })
      .waitFor();
    own.shown.expectClean(/status of 401/);
  });

  test('makes a set of judgements of what shoppers did', async () => {
    const order = { kind: 'tracking', name: 'events', customerId: 'cinema', allowsNoOrigin: true };
    const { secret } = await own.server.ok('POST', '/api/v2/keys', order);
    for (const sessionId of ['s1', 's2']) {
      const common = {
        ...{ customerId: 'cinema', experimentId: 'none', userId: sessionId, sessionId, customVariant: 'a' },
        ...{ userAgent: 'test', timestamp: new Date().toISOString(), queryId: `query-${sessionId}` },
        ...{ referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' },
      };
      const events = [
        { eventType: 'SearchEvent', query: `${hostile} Sea` },
        { eventType: 'ClickEvent', docId: 'f1', title: 'Of the sea' },
      ].map((event) => ({ ...common, ...event }));
      const { body } = await own.server.call('POST', '/', { events }, secret);
      expect(body.acceptedEvents, JSON.stringify(body)).toBe(2);
    }
    const page = await open('relevance');
    await page.getByRole('button', { name: 'Import a set' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From what shoppers did').check();
    await dialog.getByLabel('Id of the customer').fill('cinema');
    await dialog.getByRole('button', { name: 'Read the events' }).click();
    await dialog.getByText('1 query with 1 grade').waitFor();
    await dialog.getByLabel('Name of the set').fill('shoppers');
    await own.shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Store the set' }).click();
    await page.getByRole('heading', { name: 'shoppers' }).waitFor();
    const { queries } = await own.server.ok('GET', '/judgement-sets/shoppers');
    expect(queries).toEqual([{ q: `${hostile} sea`, judgements: { f1: 1 } }]);
    own.shown.expectClean(/status of 401/);
  });

  test('tells of the operations that it has not, and has the others', async () => {
    const page = await open('operations/load');
    await page.getByRole('cell', { name: '1', exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Slow requests' }).click();
    await page.getByText('Slow requests: not at the control plane').waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'Aliases' }).click();
    await page.getByText('Each hosted index has an endpoint of its own').waitFor();
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByText('Models: not at the control plane').waitFor();
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByText('events of shoppers to be stored').waitFor();
    await page.getByText('Every index has done its work').waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page
      .getByRole('region', { name: 'Log', exact: true })
      .getByRole('row')
      .filter({ hasText: 'status: 40' })
      .first()
      .waitFor();
    own.shown.expectClean(/status of 401/);
  });

  test('shows log, queues, load and slow requests of the process of an index', async () => {
    const missing = async () => {
      const { results } = await own.server.ok('GET', '/api/v2/indexes');
      const { marqoEndpoint } = results.find(({ indexName }: { indexName: string }) => indexName === 'films');
      const path = new URL(marqoEndpoint).pathname;
      return own.server.call('GET', `${path}/indexes/films/documents/not-there`);
    };
    // The log has lines of what was refused.
    expect((await missing()).status).toBe(404);
    const page = await open('operations/log');
    await page.getByLabel('Process').selectOption('Index films');
    await page.waitForURL(/operations\/log\?index=films$/);
    const lines = page.getByRole('region', { name: 'Log', exact: true }).getByRole('row');
    await lines.filter({ hasText: 'status: 404' }).filter({ hasText: 'documents/*' }).first().waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByRole('cell', { name: 'Searches' }).waitFor();
    expect(await page.getByText('events of shoppers to be stored').count()).toBe(0);
    await page.getByRole('link', { name: 'Slow requests' }).click();
    await page.waitForURL(/operations\/slow\?index=films$/);
    await page.getByRole('region', { name: 'Slow requests' }).waitFor();
    expect(await page.getByText('not at the control plane').count()).toBe(0);
    await page.getByRole('link', { name: 'Load' }).click();
    await page.getByRole('region', { name: 'Load', exact: true }).getByRole('table').waitFor();
    expect(await page.getByLabel('Process').inputValue()).toBe('films');
    own.shown.expectClean(/status of 401/);
  });

  test('makes a key that sends events, gives it another secret, and revokes it', async () => {
    const page = await open('operations/keys');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await dialog.getByLabel('Kind').selectOption('tracking');
    await dialog.getByLabel('Name').fill(hostile);
    await dialog.getByLabel('Scope').selectOption('');
    await dialog.getByLabel('Customer id').fill('boots');
    await dialog.getByLabel('Allows no origin').selectOption('true');
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    const first = (await dialog.locator('pre').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: `Rotate ${hostile}` }).click();
    await dialog.getByLabel('The secret of before stays good').selectOption('for a day');
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await dialog.getByText('has another secret').waitFor();
    const second = (await dialog.locator('pre').textContent()) ?? '';
    expect(second).not.toBe(first);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(`${first.slice(0, 8)}… is good until`).waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: `Revoke ${hostile}` }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: hostile, exact: true }).waitFor({ state: 'detached' });
    own.shown.expectClean(/status of 401/);
  });
});
