import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { describeConsole } from './own-console.js';

const hostile = '<img src=http://other.test onerror=alert(1)>';
const documents = ['one', 'two', 'three', hostile].map((name, place) => ({
  ...{ _id: `k${place}`, title: `kettle ${name}` },
}));

const fill = async (server: ServerProcess) => {
  await server.ok('POST', '/indexes/shop', { model: 'random/small' });
  await server.ok('POST', '/indexes/shop/documents', { documents, tensorFields: ['title'] });
};

/** Gives the page a time zone, as it is loaded from now on. */
async function inDarwin(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Australia/Darwin' });
  await page.reload();
}

describeConsole('the rules of an index', { fill }, (own) => {
  const search = async (q: string) => {
    const { hits, ...rest } = await own.server.ok('POST', '/indexes/shop/search', { q, searchMethod: 'HYBRID' });
    return { ids: hits.map(({ _id }: { _id: string }) => _id) as string[], ...rest };
  };

  test('pins a hit by moving it up, by the keyboard too, and hides another', async () => {
    const page = await own.open('search/shop?q=kettle');
    await page.getByRole('link', { name: 'Pin and hide hits of this query' }).click();
    await page.getByRole('heading', { name: 'Hits of “kettle”' }).waitFor();
    await own.shown.picture('rules-and-synonyms');
    await own.shown.expectAccessible();
    const rows = page.locator('.arranged-hit');
    const last = (await rows.last().locator('strong').textContent()) ?? '';
    await rows
      .last()
      .getByRole('button', { name: `Pin ${last} to the top`, exact: true })
      .focus();
    await page.keyboard.press('Enter');
    await rows.first().getByText('pinned', { exact: true }).waitFor();
    expect(await rows.first().locator('strong').textContent()).toBe(last);
    // The focus stays with the hit, wherever it went.
    await page.waitForFunction(() => document.activeElement?.closest('.arranged-hit') !== null);
    const moved = documents.find(({ title }) => title === last)?._id;
    expect((await search('Kettle ')).ids[0]).toBe(moved);
    const second = (await rows.nth(1).locator('strong').textContent()) ?? '';
    await rows
      .nth(1)
      .getByRole('button', { name: `Hide ${second} for this query`, exact: true })
      .click();
    await page.getByRole('heading', { name: 'Hidden for this query' }).waitFor();
    await own.shown.expectAccessible();
    expect((await search('kettle')).ids).not.toContain(documents.find(({ title }) => title === second)?._id);
    // It is named by its title, not by its id alone.
    await page.getByRole('button', { name: `Show again: ${second}`, exact: true }).click();
    await page.getByRole('button', { name: `Let go of ${last}`, exact: true }).click();
    await page.getByText('No query was arranged yet').waitFor();
    expect((await own.server.ok('GET', '/indexes/shop/curation')).rules).toEqual([]);
    own.shown.expectClean();
  });

  test('pins and hides documents that are not among the hits of a query, by their words or their id', async () => {
    await own.server.ok('PUT', '/indexes/shop/curation', { rules: [], synonyms: [] });
    const many = Array.from({ length: 40 }, (_, place) => ({ _id: `t${place}`, title: `Teapot number ${place}` }));
    await own.server.ok('POST', '/indexes/shop/documents', { documents: many, tensorFields: [] });
    const page = await own.open('indexes/shop/rules?q=kettle');
    await page.getByText('Pin or hide another document…').click();
    await page.getByLabel('Words or id of the document').fill('t33');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pin Teapot number 33 to the top', exact: true }).click();
    const first = page.locator('.arranged-hit').first();
    await first.getByText('Teapot number 33').waitFor();
    await first.getByText('pinned', { exact: true }).waitFor();
    expect((await search('kettle')).ids[0]).toBe('t33');
    await page.getByLabel('Words or id of the document').fill('number 17');
    await page.keyboard.press('Enter');
    const found = page.getByRole('list', { name: 'Documents that were found' });
    await found.getByRole('button', { name: 'Hide Teapot number 17 for this query', exact: true }).click();
    await page.getByRole('button', { name: 'Show again: Teapot number 17' }).waitFor();
    await own.shown.expectAccessible();
    expect((await own.server.ok('GET', '/indexes/shop/curation')).rules).toMatchObject([
      { condition: { query: 'kettle' }, consequence: { pinned: [{ _id: 't33', position: 1 }], hidden: ['t17'] } },
    ]);
    await page.getByLabel('Words or id of the document').fill('nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('No document has the words or the id nowhere.').waitFor();
    await own.server.ok('PUT', '/indexes/shop/curation', { rules: [], synonyms: [] });
    await own.server.ok(
      'POST',
      '/indexes/shop/documents/delete-batch',
      many.map(({ _id }) => _id),
    );
    own.shown.expectClean();
  });

  test('shows all hits that words find counted, where words alone search an index', async () => {
    const pans = Array.from({ length: 24 }, (_, place) => ({ _id: `p${place}`, title: `Pfanne ${place}` }));
    await own.server.ok('POST', '/indexes/laden', {
      ...{ model: 'no_model', modelProperties: { type: 'no_model', dimensions: 1 } },
    });
    await own.server.ok('POST', '/indexes/laden/documents', { documents: pans, tensorFields: [] });
    const page = await own.open('indexes/laden/rules?q=pfanne');
    await page.getByText('24 found').waitFor();
    expect(await page.locator('.arranged-hit').count()).toBe(20);
    own.shown.expectClean();
  });

  test('adds and removes synonyms and a redirect, and tells of an address that is none', async () => {
    const page = await own.open('indexes/shop');
    await page.getByRole('link', { name: 'Rules and synonyms' }).click();
    await page.getByLabel('Query to look at').fill('boiler');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Hits of “boiler”' }).waitFor();
    await page.getByText('No synonyms yet').waitFor();
    await page.getByText('The part by meaning of a hybrid search asks the typed word alone').waitFor();
    await page.getByLabel('Means the same as').fill(`kettle, ${hostile}`);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: `boiler, kettle, ${hostile}`, exact: true }).waitFor();
    await page.getByLabel('Address to send to').fill('javascript:alert(1)');
    await page.getByRole('button', { name: 'Save the redirect' }).click();
    const told = page.getByRole('alert').filter({ hasText: 'The redirect of “boiler” is not saved' });
    await told.getByText('expected an http or https URL').waitFor();
    // It is seen beside its editor, in words, and is not sent again as it stands.
    const [box, height] = [await told.boundingBox(), await page.evaluate(() => innerHeight)];
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height + 1);
    expect(await page.getByText('consequence.redirect').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await own.shown.expectAccessible();
    expect(await page.getByLabel('Address to send to').inputValue()).toBe('javascript:alert(1)');
    await page.getByLabel('Address to send to').fill('/boilers');
    await page.getByRole('button', { name: 'Save the redirect' }).click();
    await page.getByRole('cell', { name: '/boilers', exact: true }).waitFor();
    expect(await search('boiler')).toMatchObject({ redirect: '/boilers' });
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Remove what is said of boiler' }).click();
    await page.getByRole('cell', { name: '/boilers', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit the synonyms of boiler' }).click();
    expect(await page.getByLabel('Word', { exact: true }).evaluate((box) => box === document.activeElement)).toBe(true);
    expect(await page.getByLabel('Means the same as').inputValue()).toBe(`kettle, ${hostile}`);
    await page.getByLabel('Means the same as').fill('kettle; pot');
    // Lines of a list of words, as they are copied.
    await page.getByLabel('Means the same as').evaluate((box) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ', urn\nsamovar');
      box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true, bubbles: true }));
    });
    expect(await page.getByLabel('Means the same as').inputValue()).toBe('kettle; pot, urn, samovar');
    await page.getByLabel('Means the same as').fill('kettle; pot, urn');
    await page.getByRole('button', { name: 'Save the synonyms' }).click();
    await page.getByRole('cell', { name: 'boiler, kettle, pot, urn', exact: true }).waitFor();
    expect(await own.server.ok('GET', '/indexes/shop/curation')).toMatchObject({
      synonyms: [{ terms: ['boiler', 'kettle', 'pot', 'urn'] }],
    });
    await page.getByRole('button', { name: 'Add the synonyms' }).waitFor();
    await page.getByRole('button', { name: 'Remove the synonyms of boiler' }).click();
    await page.getByText('No synonyms yet').waitFor();
    own.shown.expectClean(/status of 422/);
  });

  test('tells that others changed the rules meanwhile, and shows theirs', async () => {
    const page = await own.open('indexes/shop/rules');
    await page.getByText('No synonyms yet').waitFor();
    const theirs = {
      rules: [{ id: 'far', condition: { query: 'far', match: 'contains' }, consequence: { redirect: '/far' } }],
    };
    await own.server.ok('PUT', '/indexes/shop/curation', { ...theirs, synonyms: [{ terms: ['a', 'b'] }] });
    await page.getByLabel('Word', { exact: true }).fill('c');
    await page.getByLabel('Means the same as').fill('d');
    await page.getByRole('button', { name: 'Add the synonyms' }).click();
    await page.getByText('Somebody else changed it meanwhile').waitFor();
    await page.getByRole('cell', { name: 'a, b', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add the synonyms' }).click();
    await page.getByRole('cell', { name: 'c, d', exact: true }).waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Remove the rule far' }).click();
    await page.getByRole('button', { name: 'Remove the rule far' }).waitFor({ state: 'detached' });
    expect(await own.server.ok('GET', '/indexes/shop/curation')).toMatchObject({
      ...{ rules: [], synonyms: [{ terms: ['a', 'b'] }, { terms: ['c', 'd'] }] },
    });
    own.shown.expectClean(/status of 412/);
  });

  test('makes and changes rules with a filter and times, and tells what is wrong with them', async () => {
    await own.server.ok('PUT', '/indexes/shop/curation', { rules: [], synonyms: [] });
    const rules = async () => (await own.server.ok('GET', '/indexes/shop/curation')).rules;
    const page = await own.open('indexes/shop/rules');
    await inDarwin(page);
    await page.getByRole('button', { name: 'New rule' }).click();
    const dialog = page.getByRole('dialog');
    const condition = dialog.getByRole('group', { name: 'Condition' });
    const consequence = dialog.getByRole('group', { name: 'Consequence', exact: true });
    const save = dialog.getByRole('button', { name: 'Save the rule' });
    expect(await dialog.getByLabel('Id', { exact: true }).first().inputValue()).toMatch(/^rule-\d+$/);
    await dialog.getByLabel('Id', { exact: true }).first().fill(hostile);
    await condition.getByLabel('Query').fill('kettle');
    await condition.getByLabel('Match').selectOption('contains');
    // Times are those of this browser, whose zone is told, and are sent in UTC.
    await condition.getByText('In the time zone of this browser, Australia/Darwin, GMT+09:30.').first().waitFor();
    await condition.getByLabel('From').fill('2020-01-01T09:30');
    await condition.getByLabel('Until').fill('2019-01-01T09:30');
    await save.click();
    await dialog.getByText('A rule has at least one consequence').first().waitFor();
    expect(await condition.getByLabel('Until').getAttribute('aria-invalid')).toBe('true');
    await own.shown.expectAccessible();
    await condition.getByLabel('Until').fill('2999-01-01T09:30');
    await consequence.getByLabel('Filter').fill('title:');
    await save.click();
    await dialog.getByText('The rule is not saved').waitFor();
    await dialog.getByRole('listitem').getByText('Consequence, Filter').waitFor();
    expect(await consequence.getByLabel('Filter').getAttribute('aria-invalid')).toBe('true');
    await consequence.getByLabel('Filter').fill('NOT title:(kettle one)');
    await consequence.getByRole('button', { name: 'Add' }).click();
    await consequence.getByRole('textbox', { name: '_id' }).fill('k2');
    await consequence.getByLabel('Position').fill('1');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const made = {
      id: hostile,
      condition: { query: 'kettle', match: 'contains', from: '2020-01-01T00:00:00Z', until: '2999-01-01T00:00:00Z' },
      consequence: { filter: 'NOT title:(kettle one)', pinned: [{ _id: 'k2', position: 1 }] },
    };
    expect(await rules()).toEqual([made]);
    const { ids } = await search('my kettle');
    expect(ids[0]).toBe('k2');
    expect(ids).not.toContain('k0');
    await page
      .getByText(
        'When the query contains “kettle”, from Jan 1, 2020, 09:30 GMT+9:30, until Jan 1, 2999, 09:30 GMT+9:30: ' +
          'pin k2 at 1, show only documents of NOT title:(kettle one).',
        { exact: true },
      )
      .waitFor();
    await own.shown.expectAccessible();
    // A second one may not have its name; with another one it stands behind.
    await page.getByRole('button', { name: 'New rule' }).click();
    await dialog.getByLabel('Id', { exact: true }).first().fill(hostile);
    await consequence.getByLabel('Redirect').fill('/kettles');
    await save.click();
    await dialog.getByText('Another rule has this name').waitFor();
    await dialog.getByLabel('Id', { exact: true }).first().fill('all');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    // Somebody else changes the rules while this one is edited: it is told, and nothing that was typed is lost.
    await page.getByRole('button', { name: `Edit the rule ${hostile}`, exact: true }).click();
    await own.server.ok('PUT', '/indexes/shop/curation', { rules: [made], synonyms: [{ terms: ['x', 'y'] }] });
    expect(await condition.getByLabel('Until').inputValue()).toBe('2999-01-01T09:30');
    await condition.getByLabel('Until').fill('2020-02-01T09:30');
    await save.click();
    await dialog.getByText('Somebody else changed it meanwhile').waitFor();
    await page.getByRole('cell', { name: 'x, y', exact: true }).waitFor();
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await rules()).toEqual([{ ...made, condition: { ...made.condition, until: '2020-02-01T00:00:00Z' } }]);
    expect((await search('my kettle')).ids).toContain('k0');
    own.shown.expectClean(/status of 4(12|22|00)/);
  });

  test('lists the versions with what changed, and rolls back to one unless others changed them meanwhile', async () => {
    const curation = (synonym: string, redirect?: string) => ({
      rules: redirect === undefined ? [] : [{ id: 'help', condition: { query: 'help' }, consequence: { redirect } }],
      synonyms: [{ terms: ['kettle', synonym] }],
    });
    const put = (body: object) => own.server.ok('PUT', '/indexes/shop/curation', body);
    const { version: first } = await put(curation(hostile));
    const { version: second } = await put(curation('boiler', '/help'));
    const page = await own.open('indexes/shop/rules');
    const versions = page.getByRole('region', { name: 'Versions', exact: true });
    const row = (version: number) =>
      versions.getByRole('row').filter({ has: page.getByRole('button', { name: `Roll back to version ${version}` }) });
    await versions.getByText('in force').waitFor();
    await versions.getByText('Rule help added. When the query is “help”: send to /help.').waitFor();
    await row(first).getByText(`Synonyms added: kettle, ${hostile}`, { exact: true }).waitFor();
    await own.shown.expectAccessible();
    await row(first).getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: `Roll back to version ${first}?` });
    await dialog.getByText('Rule help removed').waitFor();
    await dialog.getByText(`Synonyms added: kettle, ${hostile}`, { exact: true }).waitFor();
    await own.shown.expectAccessible();
    // Others change them: the page says so, shows theirs, and what the step would change now.
    await put(curation('boiler', '/contact'));
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.getByText('Somebody else changed it meanwhile').waitFor();
    await row(second).waitFor({ state: 'attached' });
    expect(await own.server.ok('GET', '/indexes/shop/curation')).toMatchObject(curation('boiler', '/contact'));
    await dialog.getByText('Rule help removed').waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: `kettle, ${hostile}`, exact: true }).waitFor();
    expect(await own.server.ok('GET', '/indexes/shop/curation')).toMatchObject({
      ...{ version: second + 2, ...curation(hostile) },
    });
    await versions
      .getByRole('row', { name: `${second + 2} in force` })
      .getByText('Rule help removed')
      .waitFor();
    own.shown.expectClean(/status of 412/);
  });
});
