import { expect, test } from 'vitest';
import { ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { PATIENCE_MS } from './console-page.js';
import { describeConsole } from './own-console.js';

const within = { timeout: PATIENCE_MS };
const fill = async (server: ServerProcess) => {
  await server.ok('POST', '/indexes/gear', { model: 'random/small' });
  const documents = [{ _id: 'g1', title: 'Down jacket' }];
  await server.ok('POST', '/indexes/gear/documents', { documents, tensorFields: [] });
};
const queries = [{ q: 'jacket', judgements: { g1: 3 } }];
const way = (index: string) => ({ index, search: { searchMethod: 'LEXICAL' } });

describeConsole('the pages of operations and of the lab, where something goes wrong', { fill }, (own) => {
  test('the log stays as it was while the server is away, and goes on by itself', async () => {
    const shown = 'The server writes lines';
    const flags = ['--data', own.folder(), '--hub', 'none'];
    let server = await ServerProcess.start(flags);
    const port = Number(new URL(server.address).port);
    try {
      const page = await own.open('operations/log', server.address);
      await page.getByText(shown).waitFor();
      await server.end();
      await own.shown.comeBack();
      await page.getByText('The server gives no answer.').first().waitFor();
      await page.getByText(shown).waitFor();
      await own.shown.expectAccessible();
      server = await ServerProcess.start(flags, { port });
      await own.shown.comeBack();
      await page.getByText('The server gives no answer.').first().waitFor({ state: 'detached' });
      await page.getByText(shown).waitFor();
      own.shown.expectClean(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/);
    } finally {
      await server.end();
    }
  });

  test('a server that is lost is told at once, by whichever part of the page asked it', async () => {
    const flags = ['--data', own.folder(), '--hub', 'none'];
    let server = await ServerProcess.start(flags);
    const port = Number(new URL(server.address).port);
    try {
      const page = await own.open('indexes', server.address);
      await page.getByText('Health: all well').waitFor();
      // The questions for the health itself have no outcome meanwhile.
      const ofHealth = (url: URL) => ['/', '/health'].includes(url.pathname);
      await page.route(ofHealth, () => undefined);
      await server.end();
      await page.getByRole('link', { name: 'Operations' }).click();
      await page.getByText('The server gives no answer.').first().waitFor();
      await page.getByRole('banner').getByText('The server does not answer').waitFor();
      expect(await page.getByText('Health: all well').count()).toBe(0);
      await own.shown.expectAccessible();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      server = await ServerProcess.start(flags, { port });
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('Health: all well').waitFor();
      // The code of the page is not there to be loaded, nor its styles for axe to look at.
      own.shown.expectClean(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|preload assets/);
    } finally {
      await server.end();
    }
  });

  test('a search that was lost with the server is done again by itself once that is back', async () => {
    const flags = ['--data', own.folder(), '--hub', 'none'];
    let server = await ServerProcess.start(flags);
    const port = Number(new URL(server.address).port);
    try {
      await fill(server);
      await server.ok('POST', '/indexes/other', { model: 'random/small' });
      const page = await own.open('search/gear?q=jacket', server.address);
      const words = page.getByRole('region', { name: 'Words', exact: true });
      await words.getByText('Down jacket').waitFor();
      await server.end();
      await page.getByRole('searchbox', { name: 'Query' }).fill('down');
      await page.keyboard.press('Enter');
      await page.getByText('The server gives no answer.').first().waitFor();
      server = await ServerProcess.start(flags, { port });
      await own.shown.comeBack();
      await words.getByText('Down jacket').waitFor();
      await page.getByText('The server gives no answer.').first().waitFor({ state: 'detached' });
      expect(await page.getByLabel('Index', { exact: true }).locator('option').count()).toBe(2);
      own.shown.expectClean(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/);
    } finally {
      await server.end();
    }
  });

  test.each(['log', 'queues'])('%s of an older server, or of a proxy, is told with what to do', async (part) => {
    const page = await own.open('indexes');
    let answer: { status: number; contentType: string; body: string } = {
      ...{ status: 404, contentType: 'application/json' },
      body: JSON.stringify({ message: `GET /${part} is unknown`, code: 'not_found' }),
    };
    await page.route(new RegExp(`/${part}(\\?|$)`), (route) => route.fulfill(answer));
    await own.shown.go(`operations/${part}`);
    await page.getByText('The server is of another version than this page').waitFor();
    await own.shown.expectAccessible();
    answer = { status: 200, contentType: 'text/html', body: '<b>Welcome to the proxy</b>' };
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Something between this page and the server').waitFor();
    expect(await page.locator('main b').count()).toBe(0);
    // Another version may leave members out that this page knows.
    answer = { status: 200, contentType: 'application/json', body: '{"logLevel": "info", "requests": []}' };
    // The page looks again by itself, which may take the button away before a click.
    await own.shown.comeBack();
    await page.getByText(part === 'log' ? 'No such line' : 'Every index has done its work').waitFor();
    own.shown.expectClean(/status of 404/);
  });

  test('half-typed, wrong and narrow keys are told on the pages of operations', async () => {
    const locked = await own.startOther();
    try {
      const { secret } = await locked.ok('POST', '/api/v2/keys', { name: 'boss', scope: 'admin' });
      const narrow = await locked.call(
        'POST',
        '/api/v2/keys',
        { name: 'n', scope: 'admin', indexes: ['gear'] },
        secret,
      );
      const page = await own.open('operations/log', locked.address);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This server asks for a key').waitFor();
      for (const half of [secret.slice(0, 12), `${secret}x`]) {
        await dialog.getByLabel('API key').fill(half);
        await dialog.getByRole('button', { name: 'Use this key' }).click();
        // The dialog that comes once the server has refused it.
        await expect.poll(() => dialog.getByLabel('API key').inputValue(), within).toBe('');
        await dialog.getByRole('alert').waitFor();
        expect(await dialog.getByRole('alert').textContent()).not.toContain(half);
      }
      await dialog.getByLabel('API key').fill('ключ');
      await dialog.getByRole('button', { name: 'Use this key' }).click();
      await dialog.getByText('was not copied whole').waitFor();
      await own.shown.useKey(narrow.body.secret);
      await page.getByText('Use a key of a higher scope').waitFor();
      await page.getByRole('link', { name: 'Queues' }).click();
      await page.getByText('Use a key of a higher scope').waitFor();
      await own.shown.expectAccessible();
      expect(await page.content()).not.toContain(secret);
      own.shown.expectClean(/status of 40[13]/);
    } finally {
      await locked.end();
    }
  });

  test('an index, and a set, that were deleted elsewhere are told in the lab', async () => {
    await own.server.ok('POST', '/indexes/brief', { model: 'random/small' });
    const configurations = [{ name: 'both', limit: 20, first: way('gear'), second: way('brief') }];
    await own.server.ok('PUT', '/judgement-sets/gear', { queries, configurations });
    const page = await own.open('relevance/gear/compare');
    await own.server.ok('DELETE', '/indexes/brief');
    await page.getByRole('button', { name: 'Load both', exact: true }).click();
    await page.getByRole('button', { name: /^Compare by/ }).click();
    await page.getByText('Way B to search: Index brief not found').waitFor();
    await page.getByText('It may have been deleted or renamed elsewhere').waitFor();
    await own.server.ok('DELETE', '/judgement-sets/gear');
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Somebody else changed this set').waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Load the set again' }).click();
    await page.getByText('the list of sets shows those that are there').waitFor();
    own.shown.expectClean(/status of 4(04|12)/);
  });

  test('a set of an older server, which knows of no configurations, is read and graded', async () => {
    await own.server.ok('PUT', '/judgement-sets/old', { queries });
    const page = await own.open('indexes');
    const sent: any[] = [];
    await page.route('**/judgement-sets/old', async (route) => {
      if (route.request().method() === 'PUT') sent.push(route.request().postDataJSON());
      const response = await route.fetch();
      const { configurations: _, ...older } = await response.json();
      await route.fulfill({ response, json: older });
    });
    await own.shown.go('relevance/old/compare');
    await page.getByRole('region', { name: 'Saved configurations' }).waitFor();
    await page.getByRole('link', { name: 'Judge', exact: true }).click();
    await page.getByLabel('New query').fill('tent');
    await page.keyboard.press('Enter');
    await page.getByText('Stored', { exact: true }).waitFor();
    await expect.poll(() => sent.length, within).toBe(1);
    expect(Object.keys(sent[0]).sort()).toEqual(['queries', 'version']);
    own.shown.expectClean();
  });
});
