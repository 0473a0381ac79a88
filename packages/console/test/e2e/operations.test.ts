import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, type ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { PATIENCE_MS } from './console-page.js';
import { describeConsole } from './own-console.js';

const backups = emptyFolder('console-backups');
afterAll(() => rmSync(backups, { recursive: true, force: true }));

const fill = async (server: ServerProcess) => {
  for (const name of ['notes', 'films']) await server.ok('POST', `/indexes/${name}`, { model: 'random/small' });
  const documents = [{ _id: '1', text: 'one' }];
  await server.ok('POST', '/indexes/notes/documents', { documents, tensorFields: ['text'] });
  // A search seldom takes less than a millisecond, and one of many does not.
  const search = { q: 'secret words of somebody', filter: 'text:one' };
  do await server.ok('POST', '/indexes/notes/search', search);
  while ((await server.ok('GET', '/slow-requests')).slowRequests.length === 0);
};

const within = { timeout: PATIENCE_MS };
const flags = ['--backup-to', backups, '--slow-search-ms', '1'];

describeConsole('the page of operations', { flags, fill }, (own) => {
  test('shows slow requests, load and models to everybody', async () => {
    const page = await own.open('operations');
    await page.getByRole('cell', { name: 'search', exact: true }).first().waitFor();
    await page.getByText('filter of 8 characters').first().waitFor();
    await own.shown.picture('operations');
    expect(await page.getByText('secret words').count()).toBe(0);
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'Load' }).click();
    await page.getByRole('cell', { name: '1', exact: true }).first().waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('button', { name: /^Unload random\/small/ }).click();
    await page.getByText('No model is in memory').waitFor();
    await own.shown.expectAccessible();
    own.shown.expectClean();
  });

  test('stands at the address of the server in a browser, where programs get the greeting', async () => {
    const page = await own.open('');
    await page.goto(`${own.server.address}/`);
    await page.waitForURL(/\/console\/(#.*)?$/);
    expect(await own.server.ok('GET', '/')).toMatchObject({ message: 'Welcome to Pelorus' });
    own.shown.expectClean();
  });

  test('shows the log by level, and what waits', async () => {
    await own.server.call('GET', '/indexes/nope/stats');
    const page = await own.open('operations/log');
    const lines = page.getByRole('region', { name: 'Log', exact: true });
    const refused = lines.getByRole('row').filter({ hasText: 'status: 404' });
    await refused.first().waitFor();
    await lines.getByText('latest thousand').waitFor();
    await own.shown.expectAccessible();
    const desk = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    const table = page.getByRole('region', { name: 'Log as a table' });
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    if (desk !== null) await page.setViewportSize(desk);
    await lines.getByLabel('Lines').selectOption('warn and worse');
    await refused.first().waitFor({ state: 'detached' });
    // The searches of before were slow.
    await lines.getByRole('row').filter({ hasText: 'status: 200' }).first().waitFor();
    expect(await page.getByText('secret words').count()).toBe(0);
    await lines.getByLabel('Lines').selectOption('fatal');
    await lines.getByText('No such line since the server started').waitFor();
    await page.getByRole('link', { name: 'Queues' }).click();
    const requests = page.getByRole('region', { name: 'Requests under way' });
    await requests.getByRole('row', { name: /^Searches 0 / }).waitFor();
    await page.getByText('No backup is made, checked or restored').waitFor();
    await own.shown.expectAccessible();
    own.shown.expectClean();
  });

  test.each(['log', 'queues'])('looks at %s again and again, and no more once it is paused', async (part) => {
    const page = await own.open('about');
    await page.clock.install();
    let looks = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === `/${part}`) looks += 1;
    });
    /** Looks while so much time of the page goes by; the answer to a later request comes after all of them. */
    const looksIn = async (milliseconds: number) => {
      const before = looks;
      await page.clock.runFor(milliseconds);
      await page.evaluate(() => fetch('/health').then(({ status }) => status));
      return looks - before;
    };
    await own.shown.go(`operations/${part}`);
    await page.getByRole('button', { name: 'Pause' }).click({ trial: true });
    await expect.poll(() => looksIn(3_000), within).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    const button = page.getByRole('button', { name: 'Go on' });
    await button.waitFor();
    // One that began before may still be told.
    await expect.poll(() => looksIn(60_000), within).toBe(0);
    await button.click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await expect.poll(() => looksIn(3_000), within).toBeGreaterThan(0);
    own.shown.expectClean();
  });

  test('moves an alias from one index to another', async () => {
    const page = await own.open('operations/aliases');
    await page.getByLabel('New alias').fill('current');
    await page.getByLabel('Index', { exact: true }).selectOption('notes');
    await page.getByRole('button', { name: 'Add the alias' }).click();
    await page.getByLabel('Index of current').selectOption('films');
    await page.getByText('The alias current stands for films').waitFor();
    expect((await own.server.ok('GET', '/aliases/current')).indexName).toBe('films');
    await own.shown.expectAccessible();
    own.shown.expectClean();
  });

  test('makes a backup, checks it, restores an index under another name, and deletes it', async () => {
    const page = await own.open('operations/backups');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('Ready').waitFor();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Checked: sound').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Index').selectOption('notes');
    await dialog.getByLabel('Under another name').fill('notes-again');
    await own.shown.expectAccessible();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('notes-again is restored').waitFor();
    expect((await own.server.ok('GET', '/indexes/notes-again/stats')).numberOfDocuments).toBe(1);
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No backup yet').waitFor();
    own.shown.expectClean();
  });

  test('makes the first key, goes on with it, and revokes another', async () => {
    const other = await own.startOther();
    try {
      const page = await own.open('operations/backups', other.address);
      await page.getByText('This server has no place for backups').waitFor();
      // Options alone: a whole command would start another server than this one, with other data.
      await page.getByText(/^--backup-to ~\/backups/).waitFor();
      await own.shown.expectAccessible();
      await page.getByRole('link', { name: 'Keys' }).click();
      const dialog = page.getByRole('dialog');
      const make = async (name: string) => {
        await page.getByRole('button', { name: 'Make a key' }).click();
        await dialog.getByLabel('Name').fill(name);
        await dialog.getByRole('button', { name: 'Make a key' }).click();
        await dialog.getByText('The key is made').waitFor();
        // The secret is shown once: no key closes it unread.
        for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape');
        expect(await dialog.locator('pre').isVisible()).toBe(true);
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
      await page.getByRole('button', { name: 'Rotate <b>a shop</b>' }).click();
      await dialog.getByRole('button', { name: 'Rotate' }).click();
      await dialog.getByText('has another secret').waitFor();
      for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape');
      expect(await dialog.locator('pre').isVisible()).toBe(true);
      await dialog.getByRole('button', { name: 'I have copied it' }).click();
      await own.shown.expectAccessible();
      await page.getByRole('button', { name: 'Revoke <b>a shop</b>' }).click();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('cell', { name: '<b>a shop</b>', exact: true }).waitFor({ state: 'detached' });
      own.shown.expectClean(/status of 400/);
    } finally {
      await other.end();
    }
  });
});
