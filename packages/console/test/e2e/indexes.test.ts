import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, ServerProcess, withAdminKey } from '../../../cli/test/e2e/server-process.js';
import { describeConsole } from './own-console.js';

test('the files of the console come with a strict policy, and those with a hash in their name may be kept', async () => {
  const data = emptyFolder('console');
  const server = await ServerProcess.start(['--data', data, '--hub', 'none']);
  onTestFinished(async () => {
    await server.end();
    rmSync(data, { recursive: true, force: true });
  });
  const bare = await fetch(`${server.address}/console`, { redirect: 'manual' });
  expect([bare.status, bare.headers.get('location')]).toEqual([307, 'console/']);
  const root = async (path: string, accept: string) => {
    const { status, headers } = await fetch(server.address + path, { redirect: 'manual', headers: { accept } });
    return [status, headers.get('location')];
  };
  expect(await root('/', 'text/html,*/*;q=0.8')).toEqual([307, 'console/']);
  expect(await root('/', 'application/json, text/html;q=0.1')).toEqual([200, null]);
  expect(await root('//', 'text/html')).toEqual([200, null]);
  const page = await fetch(`${server.address}/console/`);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(page.headers.get('cache-control')).toBe('no-store');
  const [, script] = /src="\.\/([^"]+)"/.exec(await page.text()) ?? [];
  const sent = await fetch(`${server.address}/console/${script}`, { headers: { 'accept-encoding': 'gzip' } });
  expect(sent.headers.get('content-encoding')).toBe('gzip');
  expect(sent.headers.get('cache-control')).toContain('immutable');
  expect((await fetch(`${server.address}/console/assets/absent.js`)).status).toBe(404);
});

const fill = async (server: ServerProcess) => {
  for (const name of ['films', 'notes']) await server.ok('POST', `/indexes/${name}`, { model: 'random/small' });
  const documents = [{ _id: '1', title: '<img src=x onerror=alert(1)>' }];
  await server.ok('POST', '/indexes/films/documents', { documents, tensorFields: ['title'] });
  await server.ok('PUT', '/aliases/cinema', { indexName: 'films' });
};

describeConsole('the pages of indexes', { fill }, (own) => {
  test('are usable by everybody', async () => {
    const page = await own.open('');
    await page.getByRole('link', { name: 'films' }).waitFor();
    await own.shown.expectAccessible();
    await page.setViewportSize({ width: 390, height: 844 });
    const menu = page.getByRole('navigation', { name: 'Pages' });
    expect(await menu.evaluate((shown) => shown.scrollWidth - shown.clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByRole('button', { name: 'Create an index' }).click();
    await page.getByText('More settings').click();
    await own.shown.expectAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'films' }).click();
    await page.getByRole('heading', { name: 'films' }).waitFor();
    await page.getByText('cinema').waitFor();
    await own.shown.picture('indexes');
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Delete this index' }).click();
    await own.shown.expectAccessible();
    await own.shown.go('nowhere');
    await page.getByText('No page of the console has this address').waitFor();
    await own.shown.expectAccessible();
    own.shown.expectClean();
  });

  test('create an index by the form of the contract, and delete it once its name is typed', async () => {
    const page = await own.open('indexes');
    await page.getByRole('button', { name: 'Create an index' }).click();
    const dialog = page.getByRole('dialog');
    for (const unfit of ['Meine Produkte', '1st', 'marqo__own']) {
      await dialog.getByLabel('Name of the index').fill(unfit);
      await page.keyboard.press('Enter');
      await dialog.getByText('No index can have this name').waitFor();
    }
    await dialog.getByLabel('Name of the index').fill('a'.repeat(223));
    await page.keyboard.press('Enter');
    await dialog.getByText('at most 222 characters').waitFor();
    await dialog.getByLabel('Name of the index').fill('made-here');
    await dialog.getByLabel('Model', { exact: true }).fill('random/small');
    await dialog.getByText('More settings').click();
    await dialog.getByLabel('Vector numeric type').selectOption('int8');
    await dialog.getByLabel('Split length').first().fill('no number');
    await dialog.getByText('This is no number.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create an index' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Split length').first().fill('3');
    await dialog.getByRole('button', { name: 'Create an index' }).click();
    await page.getByRole('heading', { name: 'made-here' }).waitFor();
    expect(await own.server.ok('GET', '/indexes/made-here/settings')).toMatchObject({
      ...{ model: 'random/small', vectorNumericType: 'int8', textPreprocessing: { splitLength: 3 } },
    });
    await page.getByRole('button', { name: 'Delete this index' }).click();
    const remove = dialog.getByRole('button', { name: 'Delete for good' });
    await dialog.getByRole('textbox').fill('made-her');
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('made-here');
    await remove.click();
    await page.getByRole('heading', { name: 'Indexes' }).waitFor();
    expect((await own.server.call('GET', '/indexes/made-here/stats')).status).toBe(404);
    own.shown.expectClean();
  });

  test('show what the server says about settings beside the members', async () => {
    const page = await own.open('indexes');
    await page.getByRole('button', { name: 'Create an index' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the index').fill('never-made');
    await dialog.getByLabel('Model', { exact: true }).fill('no/such-model');
    await dialog.getByRole('button', { name: 'Create an index' }).click();
    await dialog.getByRole('alert').first().waitFor();
    expect(await dialog.getByRole('alert').first().textContent()).toContain('no/such-model');
    expect(await dialog.getByLabel('Name of the index').inputValue()).toBe('never-made');
    own.shown.expectClean(/status of 4\d\d/);
  });

  test('add and remove an alias', async () => {
    const page = await own.open('indexes/notes');
    await page.getByLabel('New alias').fill('papers');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove the alias papers' }).waitFor();
    expect((await own.server.ok('GET', '/aliases/papers')).indexName).toBe('notes');
    await page.getByRole('button', { name: 'Remove the alias papers' }).click();
    await page.getByText('No alias stands for this index').waitFor();
    own.shown.expectClean();
  });

  test('change how a model is run, once it is tried, where the operator lets them', async () => {
    const other = await own.startOther({ flags: ['--enable-ops-api'] });
    try {
      const modelProperties = { type: 'random', dimensions: 8, name: 'own', tokens: 32 };
      await other.ok('POST', '/indexes/own', { model: 'own', modelProperties });
      const page = await own.open('indexes/own', other.address);
      await page.getByRole('button', { name: 'Change the model…' }).click();
      const dialog = page.getByRole('dialog');
      const text = dialog.getByLabel('Properties of the model as JSON');
      expect(JSON.parse(await text.inputValue())).toMatchObject(modelProperties);
      await text.fill('{ "type": ');
      expect(await dialog.getByRole('button', { name: 'Change it' }).isDisabled()).toBe(true);
      await text.fill(JSON.stringify({ ...modelProperties, dimensions: 9 }));
      await dialog.getByRole('button', { name: 'Try it' }).click();
      await dialog.getByText('The change would be refused').waitFor();
      await own.shown.expectAccessible();
      await text.fill(JSON.stringify({ ...modelProperties, tokens: 64 }));
      await dialog.getByRole('button', { name: 'Try it' }).click();
      await dialog.getByText('The change would be made').waitFor();
      await dialog.getByRole('button', { name: 'Change it' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect((await other.ok('GET', '/indexes/own/settings')).modelProperties.tokens).toBe(64);
      own.shown.expectClean();
    } finally {
      await other.end();
    }
  });

  test('tell that the operator has not switched the change of models on', async () => {
    const page = await own.open('indexes/films');
    await page.getByRole('button', { name: 'Change the model…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Try it' }).click();
    await dialog.getByText('MARQO_ENABLE_OPS_API').waitFor();
    own.shown.expectClean(/status of 403/);
  });

  test('tell that an index was deleted elsewhere', async () => {
    await own.server.ok('POST', '/indexes/brief', { model: 'random/small' });
    const page = await own.open('indexes/brief');
    await page.getByText('No alias stands for this index').waitFor();
    await own.server.ok('DELETE', '/indexes/brief');
    await own.shown.comeBack();
    await page.getByText('It may have been deleted or renamed elsewhere').waitFor();
    own.shown.expectClean(/status of 404/);
  });

  test('ask for a key, keep it in memory alone, and tell of one that is half typed or wrong', async () => {
    const locked = await own.startOther({ env: withAdminKey });
    try {
      const page = await own.open('', locked.address);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This server asks for a key').waitFor();
      await own.shown.expectAccessible();
      await dialog.getByRole('button', { name: 'Use this key' }).click();
      await dialog.getByText('Give a key').waitFor();
      await dialog.getByLabel('API key').fill('half a key');
      await dialog.getByRole('button', { name: 'Use this key' }).click();
      await dialog.getByText('was not copied whole').waitFor();
      await dialog.getByLabel('API key').fill(withAdminKey.PELORUS_ADMIN_KEY.slice(0, 9));
      await dialog.getByRole('button', { name: 'Use this key' }).click();
      await dialog.getByText('This server asks for a key').waitFor();
      await dialog.getByLabel('API key').fill(withAdminKey.PELORUS_ADMIN_KEY);
      await dialog.getByRole('button', { name: 'Use this key' }).click();
      await page.getByText('No index yet').waitFor();
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
      );
      expect(kept).not.toContain(withAdminKey.PELORUS_ADMIN_KEY);
      own.shown.expectClean(/status of 401/);
    } finally {
      await locked.end();
    }
  });

  test('tell that the server is of another version than the page', async () => {
    const page = await own.open('indexes');
    const greeting = { message: 'Welcome', version: '9.0.0', pelorus: '9.8.7' };
    await page.route(`${own.server.address}/`, (route) => route.fulfill({ json: greeting }));
    await page.reload();
    await page.getByText('the server of 9.8.7 by now').waitFor();
    await page.getByText('Reload the page to work with').waitFor();
    own.shown.expectClean();
  });

  test('tell of a lost connection, keep what was shown, and go on by themselves', async () => {
    const data = own.folder();
    let lost = await ServerProcess.start(['--data', data, '--hub', 'none']);
    const { address } = lost;
    await lost.ok('POST', '/indexes/kept', { model: 'random/small' });
    try {
      const page = await own.open('indexes', address);
      await page.getByRole('link', { name: 'kept' }).waitFor();
      await lost.end();
      await own.shown.comeBack();
      await page.getByText('The server gives no answer.').waitFor();
      expect(await page.getByRole('link', { name: 'kept' }).isVisible()).toBe(true);
      lost = await ServerProcess.start(['--data', data, '--hub', 'none'], { port: Number(new URL(address).port) });
      await own.shown.comeBack();
      await page.getByText('The server gives no answer.').waitFor({ state: 'detached' });
      own.shown.expectClean(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/);
    } finally {
      await lost.end();
    }
  });
});
