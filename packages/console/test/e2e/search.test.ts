import { expect, test } from 'vitest';
import type { ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { describeConsole } from './own-console.js';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dwn4EIwDiqkL4KAcT9GO0U4BxoAAAAAElFTkSuQmCC';
const hostile = '<img src=http://other.test/x onerror=alert(1)>';

const documents = Array.from({ length: 9 }, (_, place) => ({
  ...{ _id: `p${place}`, title: place === 0 ? `${hostile} kettle` : `Kettle number ${place}` },
  ...{ brand: place % 3 === 0 ? 'Birch & Beam' : 'acme', price: place + 0.5, tags: ['kitchen', 'steel'] },
  // The order of the months is another one than that of the places.
  since: `2025-0${9 - place}-01`,
  picture: place === 0 ? PIXEL : 'http://other.test/kettle.png',
}));

const fill = async (server: ServerProcess) => {
  await server.ok('POST', '/indexes/shop', { model: 'random/small' });
  await server.ok('POST', '/indexes/shop/documents', { documents, tensorFields: ['title'] });
};

describeConsole('the page of searches', { fill }, (own) => {
  const column = (name: string) => own.shown.page.getByRole('region', { name, exact: true });

  test('is usable by everybody', async () => {
    const page = await own.open('search/shop?q=kettle');
    for (const name of ['Hybrid', 'Meaning', 'Words']) await column(name).getByRole('listitem').first().waitFor();
    await own.shown.picture('search');
    await page.getByRole('button', { name: 'Copy a link to this search' }).waitFor();
    await page.getByText('Such as brand:acme AND price:[10 TO 20].').waitFor();
    await column('Hybrid').locator('.score summary').first().click();
    await column('Hybrid').getByText('reciprocal rank fusion').first().waitFor();
    await column('Words').getByText('Plan and time').click();
    await column('Words').getByText('Searching').waitFor();
    await own.shown.expectAccessible();
    await column('Words').getByRole('button', { name: 'Copy as code' }).click();
    await page.getByText('import marqo').waitFor();
    await own.shown.expectAccessible();
    own.shown.expectClean();
  });

  test('shows the hits of three methods, with words marked, hostile texts as texts, and pictures that are here', async () => {
    const page = await own.open('search');
    await page.getByRole('searchbox', { name: 'Query' }).fill('kettle');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=kettle/);
    await column('Words').getByRole('heading', { name: 'Kettle number 1', exact: true }).locator('mark').waitFor();
    await column('Words').getByText(hostile).waitFor();
    await column('Words').locator('img.picture').waitFor();
    expect(await column('Words').getByText('Open the picture at other.test').count()).toBeGreaterThan(0);
    expect(await page.locator('main img:not(.picture)').count()).toBe(0);
    own.shown.expectClean();
  });

  test('filters by a click on a count or a value', async () => {
    const page = await own.open('search/shop?q=kettle');
    const counts = page.getByRole('complementary', { name: 'Counts' });
    await counts.getByRole('button', { name: /^Birch & Beam/ }).click();
    const filter = page.getByRole('combobox', { name: 'Filter' });
    expect(await filter.inputValue()).toBe('brand:(Birch & Beam)');
    await column('Words').getByText('3 found').waitFor();
    await column('Words').getByRole('button', { name: 'kitchen' }).first().click();
    expect(await filter.inputValue()).toBe('brand:(Birch & Beam) AND tags:kitchen');
    own.shown.expectClean();
  });

  test('completes a filter by the keyboard alone', async () => {
    const page = await own.open('search/shop');
    await column('All documents').getByText('9 documents').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('kettle');
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: 'Filter' }).focus();
    await page.keyboard.type('br');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('bir');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('brand:(Birch & Beam) ');
    await page.keyboard.press('Enter');
    await column('Words').getByText('3 found').waitFor();
    console.log(`Slowest key of the search page until the next paint: ${await own.shown.slowestInteractionMs()} ms`);
    own.shown.expectClean();
  });

  test('shows all documents as a list where nothing is asked, without scores', async () => {
    const page = await own.open('search/shop');
    await column('All documents').getByText('9 documents').waitFor();
    await column('All documents').getByText('In no order').waitFor();
    expect(await page.locator('.hit').count()).toBe(9);
    expect(await page.locator('.score').count()).toBe(0);
    expect(await column('Hybrid').count()).toBe(0);
    await own.shown.expectAccessible();
    await page.getByRole('combobox', { name: 'Filter' }).fill('brand:nobody');
    await page.keyboard.press('Enter');
    await column('Documents that pass the filter').getByText('No document passes the filter').waitFor();
    await page.getByRole('button', { name: 'Without the filter' }).click();
    await page.getByRole('searchbox', { name: 'Query' }).fill('kettle');
    await page.keyboard.press('Enter');
    await column('Hybrid').locator('.score').first().waitFor();
    own.shown.expectClean();
  });

  test('tells of a filter that cannot be read once, and keeps what was typed', async () => {
    const page = await own.open('search/shop?q=kettle');
    await column('Words').getByText('9 found').waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).fill('brand:acme brand:other');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('AND or OR is missing before “brand:other”').waitFor();
    await page.getByText('A filter that can be read: brand:acme AND price:[10 TO 20]').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    await own.shown.expectAccessible();
    expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('brand:acme brand:other');
    own.shown.expectClean(/status of 400/);
  });

  test('allows typos and beginnings of words, and leads to the query that may have been meant', async () => {
    const page = await own.open('search/shop?q=kettel');
    await column('Words').getByText('No document has this word').waitFor();
    await page.getByText('More options').click();
    await page.getByLabel('Tell what may have been meant').check();
    await page.getByRole('link', { name: 'kettle', exact: true }).waitFor();
    // Hits of before are pale while others are on their way.
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await own.shown.expectAccessible();
    await page.getByLabel('Words may have typos').check();
    await column('Words').getByText('9 found').waitFor();
    await page.waitForURL(/typos=true&correct=true/);
    await page.getByRole('link', { name: 'kettle', exact: true }).click();
    await page.waitForURL(/q=kettle&/);
    await page.getByRole('link', { name: 'kettle', exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Words that begin others').selectOption('last');
    await page.getByRole('searchbox', { name: 'Query' }).fill('numb');
    await page.keyboard.press('Enter');
    await column('Words').getByText('8 found').waitFor();
    // The way back leads to the queries before, also over what was typed meanwhile and not asked.
    await page.getByRole('searchbox', { name: 'Query' }).fill('never asked');
    await page.goBack();
    await column('Words').getByText('9 found').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Query' }).inputValue()).toBe('kettle');
    await page.goForward();
    await column('Words').getByText('8 found').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Query' }).inputValue()).toBe('numb');
    // Options are no steps of their own: one step back leaves both of them, and the query.
    await page.getByLabel('Hits of each method').selectOption('5');
    await page.getByLabel('Words may have typos').uncheck();
    await page.waitForURL(/limit=5(?!.*typos)/);
    await page.goBack();
    await column('Words').getByText('9 found').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Query' }).inputValue()).toBe('kettle');
    await page.goForward();
    await column('Words').getByText('8 found').waitFor();
    // Others who open the address see the same.
    await page.reload();
    await column('Words').getByText('8 found').waitFor();
    expect(await page.getByLabel('Words that begin others').inputValue()).toBe('last');
    own.shown.expectClean();
  });

  test('follows a link to another search of the same index, with the method that is shown', async () => {
    const page = await own.open('search/shop?q=kettle');
    await column('Words').getByText('9 found').waitFor();
    await own.shown.go('search/shop?q=number&method=LEXICAL');
    await column('Words').getByText('8 found').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Query' }).inputValue()).toBe('number');
    expect(await column('Hybrid').count()).toBe(0);
    await page.getByRole('radio', { name: 'Meaning' }).check();
    await page.waitForURL(/q=number&method=TENSOR$/);
    await page.reload();
    await column('Meaning').getByText('The nearest 9').waitFor();
    expect(await page.getByRole('radio', { name: 'Meaning' }).isChecked()).toBe(true);
    own.shown.expectClean();
  });

  test('counts the hits of the method that is shown', async () => {
    // By meaning every document is found, by words none.
    const page = await own.open('search/shop?q=zebra&method=LEXICAL');
    await column('Words').getByText('No document has this word').waitFor();
    const counts = page.getByRole('complementary', { name: 'Counts' });
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    expect(await counts.getByRole('button', { name: /^acme/ }).count()).toBe(0);
    await page.getByRole('radio', { name: 'Meaning' }).check();
    await counts.getByRole('button', { name: /^acme/ }).waitFor();
    await counts.getByText('Of the nearest documents, whether they answer the query or not.').waitFor();
    await column('Meaning').getByText('These are the nearest by meaning, and may have nothing to do').waitFor();
    await page.getByRole('radio', { name: 'Side by side' }).check();
    await page.getByRole('searchbox', { name: 'Query' }).fill('kettle');
    await page.keyboard.press('Enter');
    await counts.getByText('Of all documents that are found by words.').waitFor();
    expect(await page.getByText('may have nothing to do').count()).toBe(0);
    own.shown.expectClean();
  });

  test('orders hits by a field of numbers, and the copied code has the order', async () => {
    const page = await own.open('search/shop?q=kettle&method=LEXICAL');
    await column('Words').locator('.score').first().waitFor();
    const order = page.getByLabel('Order of the hits');
    await order.selectOption('By price, highest first');
    await page.waitForURL(/sort=price&order=desc/);
    const first = column('Words').locator('.hit').first();
    await first.getByRole('heading', { name: 'Kettle number 8' }).waitFor();
    // A place by a field has no score.
    expect(await page.locator('.score').count()).toBe(0);
    await own.shown.expectAccessible();
    await column('Words').getByRole('button', { name: 'Copy as code' }).click();
    expect(await page.getByText('{"fieldName":"price","order":"desc"}').count()).toBe(1);
    expect(await page.getByText('{"fieldName": "price", "order": "desc"}').count()).toBe(1);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await first.getByRole('heading', { name: 'Kettle number 8' }).waitFor();
    await page.getByRole('searchbox', { name: 'Query' }).fill('');
    await page.keyboard.press('Enter');
    await column('All documents').getByText('By price, highest first').waitFor();
    await order.selectOption('By price, lowest first');
    await column('All documents').locator('.hit').first().getByText('p0', { exact: true }).waitFor();
    await order.selectOption('By since, latest first');
    await column('All documents').locator('.hit').first().getByText('p0', { exact: true }).waitFor();
    await order.selectOption('By since, earliest first');
    await column('All documents').locator('.hit').first().getByText('p8', { exact: true }).waitFor();
    await page.waitForURL(/sort=since&order=asc&sortType=date/);
    await order.selectOption('In no order');
    await column('All documents').getByText('In no order: a query ranks them.').waitFor();
    own.shown.expectClean();
  });

  test('begins with the index that was chosen last, on other pages and after the page is loaded again', async () => {
    await own.server.ok('POST', '/indexes/another', { model: 'random/small' });
    const page = await own.open('search');
    await page.getByLabel('Index').selectOption('shop');
    await column('All documents').getByText('9 documents').waitFor();
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await page.waitForURL(/#\/data\/shop$/);
    await page.getByText('1 to 9 of 9').waitFor();
    await own.shown.go('search');
    await page.reload();
    await page.waitForURL(/#\/search\/shop$/);
    await column('All documents').getByText('9 documents').waitFor();
    // The way back leads past the choice.
    await page.goBack();
    await page.waitForURL(/#\/data\/shop$/);
    await own.server.ok('DELETE', '/indexes/another');
    own.shown.expectClean();
  });

  test('names the filter that lets nothing pass, and finds more without it and with typos', async () => {
    const page = await own.open('search/shop?q=kettel&filter=brand:nobody&method=LEXICAL');
    await column('Words').getByText('No document that passes the filter has these words').waitFor();
    await own.shown.expectAccessible();
    await column('Words').getByRole('button', { name: 'Without the filter' }).click();
    await column('Words').getByText('No document has this word').waitFor();
    await column('Words').getByRole('button', { name: 'Allow typos' }).click();
    await column('Words').getByText('9 found').waitFor();
    await page.waitForURL(/q=kettel&typos=true&method=LEXICAL$/);
    own.shown.expectClean();
  });

  test('marks a pinned hit and names the rule that changed the search', async () => {
    const rules = [
      {
        id: 'best kettle',
        condition: { query: 'pinned kettle' },
        consequence: { pinned: [{ _id: 'p5', position: 1 }] },
      },
    ];
    await own.server.ok('PUT', '/indexes/shop/curation', { rules, synonyms: [] });
    const page = await own.open('search/shop?q=pinned+kettle&method=LEXICAL');
    const [first, second] = [0, 1].map((place) => column('Words').locator('.hit').nth(place));
    await first?.getByText('pinned', { exact: true }).waitFor();
    expect(await first?.locator('.score').count()).toBe(0);
    expect(await second?.locator('.badge').count()).toBe(0);
    await own.shown.expectAccessible();
    await column('Words').getByRole('link', { name: 'best kettle' }).click();
    await page.getByRole('heading', { name: 'Hits of “pinned kettle”' }).waitFor();
    own.shown.expectClean();
  });

  test('shows hits of one group under the best of it, where the index has a field for groups', async () => {
    const collapseFields = [{ name: 'sku', minGroups: 10 }];
    await own.server.ok('POST', '/indexes/boots', { model: 'random/small', collapseFields });
    const boots = [41, 42, 43].map((size) => ({ _id: `a${size}`, title: 'boots', sku: 'a', size, care: hostile }));
    const others = [41, 42].map((size) => ({
      _id: `b${size}`,
      title: 'boots and laces',
      sku: 'b',
      size,
      care: hostile,
    }));
    await own.server.ok('POST', '/indexes/boots/documents', {
      documents: [...boots, ...others],
      tensorFields: ['title'],
    });
    const page = await own.open('search/boots?q=boots&method=HYBRID');
    await column('Hybrid').getByText('The nearest 5').waitFor();
    await page.getByText('More options').click();
    await page.getByLabel('Variants of one sku as one hit').selectOption('The best one, and up to 2 below it');
    await page.waitForURL(/group=sku&groupLimit=3/);
    await column('Hybrid').getByText('The nearest 2').waitFor();
    const group = column('Hybrid').getByRole('list', { name: 'Others of the group of boots', exact: true });
    await group.waitFor();
    expect(await group.getByRole('listitem').count()).toBe(2);
    await column('Hybrid').getByText('3 documents of this group found').waitFor();
    // The first of a group that comes second is the best of those that are ranked among each other.
    await column('Hybrid').locator('.hit').nth(1).getByText('one may be higher than that of the hit above').waitFor();
    // Only what tells it from the hit above: the size, and not what both have.
    expect(await group.getByText('size', { exact: true }).count()).toBe(2);
    expect(await group.getByText('care', { exact: true }).count()).toBe(0);
    await own.shown.expectAccessible();
    await column('Hybrid').getByRole('button', { name: 'Copy as code' }).click();
    await page.getByText('"groupLimit": 3').first().waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    // Words are grouped as well.
    await page.getByRole('radio', { name: 'Words' }).check();
    await column('Words').getByText('2 found').waitFor();
    expect(
      await column('Words')
        .getByRole('list', { name: /^Others of the group/ })
        .count(),
    ).toBe(2);
    await page.getByRole('radio', { name: 'Hybrid' }).check();
    // Others who open the address see the same; the option is there only where it can be used.
    await page.reload();
    await group.waitFor();
    await own.shown.go('search/shop?q=kettle');
    await column('Words').getByText('9 found').waitFor();
    expect(await page.getByLabel(/^Variants of/).count()).toBe(0);
    await page.getByText('More options').click();
    await page.getByText('is chosen when an index is created, as “Show variants as one hit, by”').waitFor();
    own.shown.expectClean();
  });
});
