import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { ConsolePage, chromiumPath, openBrowser } from './console-page.js';

describe.skipIf(chromiumPath === undefined)('the page of operations', () => {
  const data = emptyFolder('console-data');
  const bare = emptyFolder('console-bare');
  const backups = emptyFolder('console-backups');
  let server: ServerProcess;
  let browser: Browser;
  let shown: ConsolePage;
  beforeAll(async () => {
    const flags = ['--data', data, '--hub', 'none', '--backup-to', backups, '--slow-search-ms', '1'];
    server = await ServerProcess.start(flags);
    for (const name of ['notes', 'films']) await server.ok('POST', `/indexes/${name}`, { model: 'random/small' });
    const documents = [{ _id: '1', text: 'one' }];
    await server.ok('POST', '/indexes/notes/documents', { documents, tensorFields: ['text'] });
    // A search seldom takes less than a millisecond, and one of many does not.
    const search = { q: 'secret words of somebody', filter: 'text:one' };
    do await server.ok('POST', '/indexes/notes/search', search);
    while ((await server.ok('GET', '/slow-requests')).slowRequests.length === 0);
    browser = await openBrowser();
  });
  afterEach(() => shown?.close());
  afterAll(async () => {
    await browser?.close();
    await server?.end();
    for (const folder of [data, bare, backups]) rmSync(folder, { recursive: true, force: true });
  });

  const open = async (place: string, address = server.address) => {
    shown = await ConsolePage.open(browser, address);
    await shown.go(place);
    return shown.page;
  };

  test('shows slow requests, load and models to everybody', async () => {
    const page = await open('operations');
    await page.getByRole('cell', { name: 'search', exact: true }).first().waitFor();
    await page.getByText('filter of 8 characters').first().waitFor();
    expect(await page.getByText('secret words').count()).toBe(0);
    await shown.expectAccessible();
    await page.getByRole('link', { name: 'Load' }).click();
    await page.getByRole('cell', { name: '1', exact: true }).first().waitFor();
    await shown.expectAccessible();
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('button', { name: /^Unload random\/small/ }).click();
    await page.getByText('No model is in memory').waitFor();
    await shown.expectAccessible();
    shown.expectClean();
  });

  test('moves an alias from one index to another', async () => {
    const page = await open('operations/aliases');
    await page.getByLabel('New alias').fill('current');
    await page.getByLabel('Index', { exact: true }).selectOption('notes');
    await page.getByRole('button', { name: 'Add the alias' }).click();
    await page.getByLabel('Index of current').selectOption('films');
    await page.getByText('The alias current stands for films').waitFor();
    expect((await server.ok('GET', '/aliases/current')).indexName).toBe('films');
    await shown.expectAccessible();
    shown.expectClean();
  });

  test('makes a backup, checks it, restores an index under another name, and deletes it', async () => {
    const page = await open('operations/backups');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('Ready').waitFor();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Checked: sound').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Index').selectOption('notes');
    await dialog.getByLabel('Under another name').fill('notes-again');
    await shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('notes-again is restored').waitFor();
    expect((await server.ok('GET', '/indexes/notes-again/stats')).numberOfDocuments).toBe(1);
    await shown.expectAccessible();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No backup yet').waitFor();
    shown.expectClean();
  });

  test('makes the first key, goes on with it, and revokes another', async () => {
    const other = await ServerProcess.start(['--data', bare, '--hub', 'none']);
    try {
      const page = await open('operations/backups', other.address);
      await page.getByText('This server has no place for backups').waitFor();
      await page.getByRole('link', { name: 'Keys' }).click();
      const dialog = page.getByRole('dialog');
      const make = async (name: string) => {
        await page.getByRole('button', { name: 'Make a key' }).click();
        await dialog.getByLabel('Name').fill(name);
        await dialog.getByRole('button', { name: 'Make a key' }).click();
        await dialog.getByText('The key is made').waitFor();
        const secret = (await dialog.locator('pre').textContent()) ?? '';
        await dialog.getByRole('button', { name: 'I have copied it' }).click();
        await page.getByRole('cell', { name, exact: true }).waitFor();
        return secret;
      };
      await page.getByText('No keys: everybody').waitFor();
      const secret = await make('the operator');
      expect((await other.call('GET', '/indexes')).status).toBe(401);
      expect((await other.call('GET', '/indexes', undefined, secret)).status).toBe(200);
      await make('<b>a shop</b>');
      await shown.expectAccessible();
      await page.getByRole('button', { name: 'Revoke <b>a shop</b>' }).click();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('cell', { name: '<b>a shop</b>', exact: true }).waitFor({ state: 'detached' });
      shown.expectClean(/status of 400/);
    } finally {
      await other.end();
    }
  });
});
