import { expect, test } from 'vitest';
import { STARTER_MODEL } from '../../../cli/src/starter-model.js';
import { type ServerProcess, withAdminKey } from '../../../cli/test/e2e/server-process.js';
import { untilReady } from './hosted-index.js';
import { describeConsole } from './own-console.js';

const hostile = '<img src=x onerror=alert(1)>';
/** Words of no product, which stay a text in the page. */
const absent = '<b>galoshes</b>';
const documents = ['Snow boots', 'Rain boots', `Boots ${hostile}`, 'Sun hat'].map((productTitle, place) => ({
  ...{ _id: `p${place}`, parentProductId: `p${place}`, productTitle, price: 20 + place },
  variantImageUrl: `https://shop.example/p${place}.jpg`,
}));

/** A shop whose shoppers searched for boots and bought some, and for what it has not. */
const fill = async (server: ServerProcess) => {
  await server.ok('POST', '/api/v1/indexes', { indexName: 'boots', modelType: 'custom', model: STARTER_MODEL });
  await untilReady(server, 'boots');
  const { items } = await server.ok('POST', '/api/v1/indexes/boots/documents', { documents });
  expect(items.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200, 200]);
  // Products without any of the words are left out.
  const relevanceCutoff = { method: 'relative_max_score', parameters: { relativeScoreFactor: 0 } };
  await server.ok('PATCH', '/api/v1/indexes/boots/settings', { relevanceCutoff });
  const order = { kind: 'tracking', name: 'events', customerId: 'boots', allowsNoOrigin: true };
  const { secret } = await server.ok('POST', '/api/v2/keys', order);
  const send = async (sessionId: string, event: object) => {
    const common = {
      ...{ customerId: 'boots', experimentId: 'none', userId: sessionId, sessionId, customVariant: 'a' },
      ...{ userAgent: 'test', timestamp: new Date().toISOString() },
      ...{ referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' },
    };
    const { status, body } = await server.call('POST', '/', { events: [{ ...common, ...event }] }, secret);
    expect([status, body.items]).toEqual([200, []]);
  };
  for (const [sessionId, query] of [
    ['s1', 'boots'],
    ['s2', 'boots'],
    ['s3', absent],
    ['s4', 'hat'],
  ] as const) {
    const search = { q: query, sessionId, userId: sessionId };
    const { queryId } = await server.ok('POST', '/api/v1/indexes/boots/search', search);
    await send(sessionId, { eventType: 'SearchEvent', query, queryId });
    if (sessionId === 's4') {
      // From the hits into the cart, without a click on one.
      const hat = { docId: 'p3', title: 'Sun hat', currency: 'EUR' };
      await send(sessionId, { eventType: 'AddToCartEvent', queryId, ...hat });
    }
    if (sessionId !== 's1') continue;
    const product = { docId: 'p0', title: 'Snow boots' };
    await send(sessionId, { eventType: 'ClickEvent', queryId, ...product });
    await send(sessionId, { eventType: 'AddToCartEvent', queryId, ...product, currency: 'EUR' });
    await send(sessionId, { eventType: 'PurchaseEvent', queryId, ...product, quantity: 2, price: 20, currency: 'EUR' });
  }
  const about = 'customerId=boots&days=7';
  for (;;) {
    const { metrics } = await server.ok('GET', `/api/v1/analytics/summary?${about}&context=searches`);
    const { results } = await server.ok('GET', `/api/v1/analytics/no-results?${about}`);

    const counts = [metrics.totalQueries, metrics.totalAddToCarts, metrics.totalPurchases, results.length];
    if (counts.join() === '4,2,2,1') return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

describeConsole('the pages of shops', { flags: ['--hosted'], env: withAdminKey, fill }, (own) => {
  const open = async (place: string) => {
    const page = await own.open(place);
    await own.shown.useKey(withAdminKey.PELORUS_ADMIN_KEY);
    return page;
  };
  const settings = async () => (await own.server.ok('GET', '/api/v1/indexes/boots/settings')).settings;

  test('show what shoppers searched, found and bought', async () => {
    const page = await open('shops');
    await page.getByRole('link', { name: 'boots' }).click();
    await page.getByRole('img', { name: /^Searches: at most [1-4], on / }).waitFor();
    await page.getByRole('img', { name: /^Revenue in EUR: at most €40.00/ }).waitFor();
    await page.getByText('25%').first().waitFor();
    const table = page.getByRole('region', { name: 'Products as a table' });
    await table.getByRole('cell', { name: 'Snow boots p0', exact: true }).waitFor();
    // The one that was bought, and the one that came into the cart without a click.
    expect((await table.locator('code').allTextContents()).slice(0, 2)).toEqual(['p0', 'p3']);
    await own.shown.picture('shops');
    await own.shown.expectAccessible();
    await page.getByText('Searches as a table').click();
    await page
      .getByRole('region', { name: 'Searches as a table' })
      .getByRole('cell', { name: /^[1-4]$/ })
      .first()
      .waitFor();
    await page.getByLabel('Time').selectOption('The last 7 days');
    await page.waitForURL(/days=7/);
    await page.getByRole('img', { name: /^Searches: at most [1-4]/ }).waitFor();
    own.shown.expectClean(/status of 401/);
  });

  test('add a synonym and a redirect to a query that found nothing, where it stands', async () => {
    const page = await open('shops/boots/queries');
    const dialog = page.getByRole('dialog');
    await page.getByRole('link', { name: 'boots', exact: true }).first().waitFor();
    await page.getByText('Every query led to a click or into the cart').waitFor();
    await own.shown.expectAccessible();
    const term = absent;
    await page
      .getByRole('button', { name: `Add synonyms for ${term}` })
      .first()
      .click();
    expect(await dialog.getByLabel('Word', { exact: true }).inputValue()).toBe(term);
    await dialog.getByLabel('Means the same as').fill('snow boots');
    await own.shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Add the synonyms' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: `Set a redirect for ${term}` })
      .first()
      .click();
    await dialog.getByLabel('Address to send to').fill('/hostile');
    await dialog.getByRole('button', { name: 'Save the redirect' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await settings()).toMatchObject({
      synonyms: [{ terms: [term, 'snow boots'] }],
      redirects: [{ query: term, url: '/hostile' }],
    });
    expect(await page.locator('main b, main img').count()).toBe(0);
    own.shown.expectClean(/status of 401/);
  });

  test('learn nothing before that is allowed, and tell why there is nothing to learn', async () => {
    const page = await open('shops/boots/learning');
    await page.getByText('Nothing was compared since the server started.').waitFor();
    expect(await page.getByRole('button', { name: 'Compare by the last 30 days' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Allow learning' }).click();
    await page.getByRole('button', { name: 'Compare by the last 30 days' }).click();
    await page.getByText('It takes 20 queries with choices of enough shoppers, but there are 0').waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Forbid learning' }).click();
    await page.getByRole('button', { name: 'Allow learning' }).waitFor();
    expect(await settings()).toMatchObject({ learnsWeights: false, fieldWeights: null, alpha: null });
    own.shown.expectClean(/status of 401/);
  });

  test('apply weights that are proposed, and take them back', async () => {
    const { version: from } = await own.server.ok('GET', '/api/v1/indexes/boots/settings');
    const half = { queries: 40, wins: 30, losses: 5, ties: 5 };
    const comparison = {
      ...{ from, present: { fieldWeights: {}, alpha: 0.5 } },
      ...{ proposed: { fieldWeights: { productTitle: 2, description: 1 }, alpha: 0.3 } },
      ...{ training: half, heldOut: half, interval: [0.69, 0.95] },
    };
    const done = { state: 'done', startedAt: null, finishedAt: null, progress: 1, reason: null, appliedVersion: null };
    const page = await open('shops/boots');
    await page.route('**/settings/learning', (route) =>
      route.fulfill({ json: { ...done, outcome: 'proposed', queries: 80, comparison } }),
    );
    await page.getByRole('link', { name: 'Learning', exact: true }).click();
    await page.getByText('productTitle 2, description 1, meaning 0.3').waitFor();
    await page.getByText('30 won, 5 lost, 5 tied').first().waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Apply the proposed weights' }).click();
    await page.getByRole('button', { name: 'Take the applied weights back' }).waitFor();
    expect(await settings()).toMatchObject({ fieldWeights: { productTitle: 2 }, alpha: 0.3 });
    await page.getByRole('button', { name: 'Take the applied weights back' }).click();
    await page.getByRole('button', { name: 'Take the applied weights back' }).waitFor({ state: 'detached' });
    expect(await settings()).toMatchObject({ fieldWeights: null, alpha: null });
    await page.unroute('**/settings/learning');
    own.shown.expectClean(/status of 401/);
  });

  test('pin a product for a query by moving it up, and hide another', async () => {
    const page = await open('shops/boots/queries');
    await page.getByRole('link', { name: 'boots', exact: true }).first().click();
    const rows = page.locator('.arranged-hit');
    await rows.nth(2).waitFor();
    await own.shown.expectAccessible();
    const id = (await rows.nth(2).locator('code').textContent()) ?? '';
    await rows.nth(2).getByRole('button', { name: /up$/ }).click();
    await rows.first().getByText('pinned', { exact: true }).waitFor();
    expect(await rows.first().locator('code').textContent()).toBe(id);
    expect((await settings()).pins).toEqual([{ query: 'boots', documentIds: [id] }]);
    const { hits } = await own.server.ok('POST', '/api/v1/indexes/boots/search', { q: 'Boots' });
    expect(hits[0]._id).toBe(id);
    const other = (await rows.nth(1).locator('code').textContent()) ?? '';
    await rows
      .nth(1)
      .getByRole('button', { name: /^Hide / })
      .click();
    await page
      .getByRole('listitem')
      .filter({ hasText: other })
      .getByRole('button', { name: /^Show again: / })
      .waitFor();
    expect((await settings()).hidden).toEqual([{ query: 'boots', productIds: [other] }]);
    own.shown.expectClean(/status of 401/);
  });
});
