import { expect, test } from 'vitest';
import type { ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { describeConsole } from './own-console.js';

const hostile = '<img src=http://other.test onerror=alert(1)>.csv';
const rows = Array.from({ length: 200 }, (_, place) => {
  const year = place === 150 ? 'unknown' : 1900 + place;
  return `f${place},"Film <b>${place}</b>, the one",${year},"A plot about number ${place}, which is long enough.\nIt ends."`;
});
const csv = ['id,title,year,plot', ...rows, 'torn,row'].join('\n');

const notes = Array.from({ length: 30 }, (_, place) => ({
  ...{ _id: `n${place}`, text: `Note <i>${place}</i>` },
  ...{ kind: place % 2 === 0 ? 'even one' : 'odd one', count: place },
}));

const sheet = [
  'Art.-Nr;Bezeichnung;Verfügbar seit;Auf Lager?;Preis;Geliefert',
  'A-1;Ein Sofa für drei Personen, grau;2024;ja;€ 1.231,54;11.03.2024',
  'A-2;Ein Sessel mit hoher Lehne, blau;2025;nein;€ 84,19;1.4.2024 08:30',
  'A-3;Eine Lampe für den Schreibtisch;bald;ja;€ 12;31.12.2023',
].join('\n');

const fill = async (server: ServerProcess) => {
  for (const name of ['films', 'notes', 'goods', 'words'])
    await server.ok('POST', `/indexes/${name}`, { model: 'random/small' });
  await server.ok('POST', '/indexes/notes/documents', { documents: notes, tensorFields: ['text'] });
};

describeConsole('the page of data', { fill }, (own) => {
  const choose = (name: string, content: string | Buffer) =>
    own.shown.page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });

  test('imports a file: columns are shown, ids, types and texts chosen, and failed rows told', async () => {
    const page = await own.open('data/films/import');
    await choose(hostile, csv);
    await page.getByRole('heading', { name: hostile }).waitFor();
    await page.getByText('1 of the first 201 rows cannot become documents').waitFor();
    expect(await page.getByLabel('Column with the id of each row').inputValue()).toBe('id');
    expect(await page.getByRole('checkbox', { name: 'Search by meaning plot' }).isChecked()).toBe(true);
    await page.getByLabel('Type of year').selectOption('number');
    await page.getByText('First rows').first().click();
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('199 rows are stored, 2 rows failed').waitFor();
    await page.getByText('unknown in year is no number.').waitFor();
    await page.getByText('The row has 2 cells, the first line has 4.').waitFor();
    await own.shown.expectAccessible();
    expect(await own.server.ok('GET', '/indexes/films/documents/f7')).toMatchObject({
      title: 'Film <b>7</b>, the one',
      year: 1907,
    });
    expect((await own.server.ok('GET', '/indexes/films/stats')).numberOfVectors).toBeGreaterThanOrEqual(199);
    expect(await page.locator('main b, main img').count()).toBe(0);
    own.shown.expectClean();
  });

  test('imports a German sheet: names of fields are proposed, and told where they are wrong', async () => {
    const page = await own.open('data/goods/import');
    await choose('waren.csv', sheet);
    await page.getByText('3 columns have a name that no field can have').waitFor();
    await page.getByText('It is also kept as the field Art_Nr, so that it can be searched for.').waitFor();
    const field = page.getByLabel('Field name for Verfügbar seit');
    expect(await field.inputValue()).toBe('Verfuegbar_seit');
    expect(await page.getByLabel('Field name for Auf Lager?').inputValue()).toBe('Auf_Lager');
    await field.fill('Preis');
    await page.getByText('The column Preis becomes a field of this name too').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await field.fill('seit');
    expect(await page.getByLabel('Type of Preis').inputValue()).toBe('decimalComma');
    expect(await page.getByLabel('Type of Auf Lager?').inputValue()).toBe('truth');
    expect(await page.getByLabel('Type of Geliefert').inputValue()).toBe('dayFirst');
    await page.getByLabel('Type of Verfügbar seit').selectOption('number');
    await page
      .getByText('1 of the first 3 rows does not fit this type and would fail, such as “bald” in line')
      .waitFor();
    await own.shown.expectAccessible();
    const ids = page.getByLabel('Column with the id of each row');
    expect(await ids.inputValue()).toBe('Art.-Nr');
    await ids.selectOption('');
    await page.getByText('a second import of the same file replaces nothing').waitFor();
    await ids.selectOption('Art.-Nr');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 rows are stored, 1 row failed').waitFor();
    expect(await own.server.ok('GET', '/indexes/goods/documents/A-1')).toMatchObject({
      ...{ seit: 2024, Auf_Lager: true, Preis: 1231.54, Art_Nr: 'A-1', Geliefert: '2024-03-11' },
    });
    expect(await own.server.ok('GET', '/indexes/goods/documents/A-2')).toMatchObject({ Geliefert: '2024-04-01T08:30' });
    const byNumber = { q: 'A-1', searchMethod: 'LEXICAL' };
    expect((await own.server.ok('POST', '/indexes/goods/search', byNumber)).hits[0]._id).toBe('A-1');
    const failed = page.getByRole('row').filter({ hasText: 'bald in Verfügbar seit is no number.' });
    expect(await failed.getByRole('cell').nth(1).textContent()).toBe('A-3');
    await page.getByRole('button', { name: 'Back to the columns' }).click();
    expect(await field.inputValue()).toBe('seit');
    expect(await page.getByLabel('Column with the id of each row').inputValue()).toBe('Art.-Nr');
    await page.getByLabel('Type of Verfügbar seit').selectOption('dayFirst');
    await page
      .getByText('3 of the first 3 rows do not fit this type and would stay as text, such as “2024” in line')
      .waitFor();
    await page.getByLabel('Keep this column as a field too').uncheck();
    await page.getByText('whoever types it into a search finds nothing').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('All 3 rows are stored').waitFor();
    await page.getByText('3 values are no dates and stay as text').waitFor();
    await page.getByText('The first is “2024” in Verfügbar seit, line or row 2.').waitFor();
    expect(await page.getByRole('button', { name: 'Back to the columns' }).count()).toBe(0);
    const last = await own.server.ok('GET', '/indexes/goods/documents/A-3');
    expect(last).toMatchObject({ seit: 'bald', Preis: 12 });
    expect(last).not.toHaveProperty('Art_Nr');
    own.shown.expectClean();
  });

  test('shows the types of columns on a phone, and breaks no word of a table', async () => {
    const page = await own.open('data/words/import');
    await page.setViewportSize({ width: 390, height: 844 });
    const long = 'Donaudampfschifffahrtsgesellschaft';
    const names = ['eins', 'zwei', 'drei', 'vier', 'fuenf'];
    await choose('worte.csv', `Nr,${names.join()}\nA1,${names.map((name) => `Die ${long} ${name}`).join()}\n`);
    for (const name of names) {
      const box = await page.getByLabel(`Type of ${name}`).boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The row is stored').waitFor();
    await page.getByRole('link', { name: 'See the documents' }).click();
    await page.getByRole('cell', { name: long }).first().waitFor();
    // The lines that each word takes: a broken one has two.
    const lines = await page.locator('.documents td').evaluateAll((cells) =>
      cells.flatMap((cell) => {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const found: number[] = [];
        while (texts.nextNode()) {
          for (const { index, 0: word } of (texts.currentNode.textContent ?? '').matchAll(/\S+/g)) {
            const range = document.createRange();
            range.setStart(texts.currentNode, index);
            range.setEnd(texts.currentNode, index + word.length);
            found.push(new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size);
          }
        }
        return found;
      }),
    );
    expect(new Set(lines)).toEqual(new Set([1]));
    own.shown.expectClean();
  });

  test('a file that is dropped where there is no index leads to one of its own, and is imported there', async () => {
    const empty = await own.startOther();
    try {
      const page = await own.open('data', empty.address);
      await page.getByText('Drop a CSV, JSON or Parquet file here').waitFor();
      await own.shown.expectAccessible();
      const dialog = page.getByRole('dialog');
      await choose('names.csv', 'id;text\n');
      await page.getByText('names.csv cannot be imported').waitFor();
      await page.getByText('The file has no rows').waitFor();
      expect(await dialog.count()).toBe(0);
      await choose('Möbel 2024.csv', sheet);
      await dialog.getByText('Möbel 2024.csv has 6 columns and gets an index of its own').waitFor();
      expect(await dialog.getByLabel('Name of the index').inputValue()).toBe('moebel_2024');
      await dialog.getByRole('radio', { name: 'German' }).check();
      expect(await dialog.getByLabel('Model', { exact: true }).inputValue()).toBe('hf/multilingual-e5-small');
      await own.shown.expectAccessible();
      await dialog.getByLabel('Model', { exact: true }).fill('random/small');
      await dialog.getByRole('button', { name: 'Create an index' }).click();
      await page.getByRole('heading', { name: 'Möbel 2024.csv' }).waitFor();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('All 3 rows are stored').waitFor();
      expect((await empty.ok('GET', '/indexes/moebel_2024/stats')).numberOfDocuments).toBe(3);
      // Another file of the same name gets another index.
      await page.getByRole('link', { name: 'Data', exact: true }).click();
      await page.getByRole('link', { name: 'A new index of a file' }).click();
      await page.getByLabel('Index').waitFor();
      await choose('moebel 2024.csv', sheet);
      expect(await dialog.getByLabel('Name of the index').inputValue()).toBe('moebel_2024_2');
      own.shown.expectClean();
    } finally {
      await empty.end();
    }
  });

  test('a file is searched by words alone where that is chosen, and where its model cannot be had', async () => {
    const empty = await own.startOther();
    try {
      const page = await own.open('data', empty.address);
      const dialog = page.getByRole('dialog');
      await choose('waren.csv', sheet);
      await dialog.getByRole('radio', { name: 'By words alone' }).check();
      await dialog.getByText('"model": "no_model"').waitFor();
      await dialog.getByLabel('Show variants as one hit, by').selectOption('Art_Nr');
      await own.shown.expectAccessible();
      await dialog.getByRole('button', { name: 'Create an index' }).click();
      await page.getByText('The index has no model: its rows are found by words and filters.').waitFor();
      expect(await page.getByRole('checkbox', { name: 'Search by meaning' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('All 3 rows are stored').waitFor();
      expect(await empty.ok('GET', '/indexes/waren/settings')).toMatchObject({
        ...{ model: 'no_model', collapseFields: [{ name: 'Art_Nr' }] },
      });
      await page.getByRole('link', { name: 'Search them' }).click();
      await page.getByRole('searchbox', { name: 'Query' }).fill('sofa');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Words', exact: true }).getByText('1 found').waitFor();
      expect(await page.getByRole('region', { name: 'Hybrid', exact: true }).count()).toBe(0);
      await page.getByText('More options').click();
      await page.getByLabel('Variants of one Art_Nr as one hit').selectOption('The best one alone');
      await page.waitForURL(/group=Art_Nr/);
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'Words', exact: true }).getByText('1 found').waitFor();
      await own.shown.expectAccessible();
      // The server has no network to fetch a model of German from.
      await own.shown.go('data?new=true');
      await choose('möbel.csv', sheet);
      await dialog.getByRole('radio', { name: 'German' }).check();
      expect(await dialog.getByText('no_model').count()).toBe(1);
      await dialog.getByRole('button', { name: 'Create an index' }).click();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('It is not on the server, which could not download it.').waitFor();
      await page.getByText('Words need no model: import texts without “Search by meaning”').waitFor();
      expect(await page.getByText('Tried:').count()).toBe(0);
      await own.shown.expectAccessible();
      await page.getByRole('button', { name: 'Go on without “Search by meaning”' }).click();
      await page.getByText('No column is searched by meaning').waitFor();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('All 3 rows are stored').waitFor();
      // Without vectors there is nothing that the model would be needed for.
      await page.getByRole('link', { name: 'Search them' }).click();
      await page.getByRole('searchbox', { name: 'Query' }).fill('sofa');
      await page.keyboard.press('Enter');
      await page.getByText('This index has no vectors: it is searched by words.').waitFor();
      await page.getByRole('region', { name: 'Words', exact: true }).getByText('1 found').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      own.shown.expectClean(/status of 400/);
    } finally {
      await empty.end();
    }
  });

  test('an import is told of on other pages while it goes on, and when it ends', async () => {
    const page = await own.open('data/words/import');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/indexes/words/documents**', async (route) => {
      await held;
      await route.continue();
    });
    await choose('worte.csv', 'Nr,wort\nA1,eins\nA2,zwei\n');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('link', { name: 'Indexes', exact: true }).click();
    await page.getByRole('link', { name: 'films', exact: true }).waitFor();
    const line = page.getByRole('region', { name: 'Work that goes on' });
    await line.getByText('worte.csv into words').waitFor();
    await line.getByRole('progressbar').waitFor();
    await own.shown.expectAccessible();
    // The browser asks before it closes the page.
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await line.getByRole('link', { name: 'Look at it' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    expect(await line.count()).toBe(0);
    await page.getByRole('link', { name: 'Indexes', exact: true }).click();
    release();
    await line.getByText('All 2 rows are stored and can be searched').waitFor();
    await page.getByRole('link', { name: 'films', exact: true }).waitFor();
    await own.shown.expectAccessible();
    await line.getByRole('link', { name: 'Look at the outcome' }).click();
    await page.getByText('All 2 rows are stored').waitFor();
    await page.getByRole('link', { name: 'Indexes', exact: true }).click();
    await page.getByRole('heading', { name: 'Indexes' }).waitFor();
    expect(await line.count()).toBe(0);
    own.shown.expectClean();
  });

  test('warns of rows without the field of variants, and takes their ids for it', async () => {
    const page = await own.open('data?new=true');
    await choose('stile.csv', 'Nr,wort,Stil\nA1,eins,s\nA2,zwei,\nA3,drei,s\n');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'By words alone' }).check();
    await dialog.getByLabel('Show variants as one hit, by').selectOption('Stil (66 % of the rows have it)');
    await dialog.getByRole('button', { name: 'Create an index' }).click();
    const warning = page.getByText('66 % of the first 3 rows have Stil, by which variants are one hit: the other one');
    await warning.waitFor();
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 rows are stored, 1 row failed').waitFor();
    await page.getByRole('button', { name: 'Back to the columns' }).click();
    await page.getByLabel('Column with the id of each row').selectOption('');
    await page.getByText('so that the id can stand in for it').waitFor();
    expect(await page.getByLabel('Use the id where it is empty').count()).toBe(0);
    await page.getByLabel('Column with the id of each row').selectOption('Nr');
    await page.getByLabel('Use the id where it is empty').check();
    expect(await warning.count()).toBe(0);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('All 3 rows are stored').waitFor();
    expect(await own.server.ok('GET', '/indexes/stile/documents/A2')).toMatchObject({ Stil: 'A2', wort: 'zwei' });
    expect(await own.server.ok('GET', '/indexes/stile/documents/A3')).toMatchObject({ Stil: 's' });
    own.shown.expectClean();
  });

  test('tells what is wrong with a file, and takes another one', async () => {
    const page = await own.open('data/films/import');
    const broken = [
      ['table.xlsx', 'PK\u0003\u0004', 'save the sheet as CSV'],
      ['cut.parquet', 'PAR1....', 'damaged or cut off'],
      ['dos.csv', Buffer.from([0x61, 0x0a, 0x81, 0x0a]), 'encoding UTF-8'],
      ['names.csv', 'id,text\n', 'The file has no rows'],
    ] as const;
    for (const [name, content, told] of broken) {
      await choose(name, content);
      await page.getByText(`${name} cannot be imported`).waitFor();
      await page.getByText(told).waitFor();
    }
    await choose('good.csv', 'id,text\n1,one\n2,two\n1,three\n');
    await page.getByRole('heading', { name: 'good.csv' }).waitFor();
    await page.getByLabel('Column with the id of each row').selectOption('id');
    await page.getByText('Lines or rows 2 and 4 both have “1”').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByText('All 3 rows are stored and can be searched. These are 2 documents: 1 row replaced an earlier one')
      .waitFor();
    own.shown.expectClean();
  });

  test('tells how far an import came whose index was deleted meanwhile', async () => {
    await own.server.ok('POST', '/indexes/brief', { model: 'random/small' });
    const page = await own.open('data/brief/import');
    await choose('films.csv', csv);
    await page.getByRole('button', { name: 'Import', exact: true }).waitFor();
    await own.server.ok('DELETE', '/indexes/brief');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The import ended early: 0 rows are stored').waitFor();
    await page.getByText('It may have been deleted or renamed elsewhere').waitFor();
    own.shown.expectClean(/status of 404/);
  });

  test('leaves an index that was deleted elsewhere: the page is chosen anew, and a link leads to those there are', async () => {
    for (const name of ['searches', 'data'] as const) {
      await own.server.ok('POST', `/indexes/brief_${name}`, { model: 'random/small' });
      const segment = name === 'data' ? 'data' : 'search';
      const page = await own.open(`${segment}/brief_${name}`);
      await page.getByLabel('Index').getByRole('option', { name: 'films' }).waitFor({ state: 'attached' });
      await own.server.ok('DELETE', `/indexes/brief_${name}`);
      await page.getByRole('link', { name: segment === 'data' ? 'Data' : 'Search', exact: true }).click();
      await page.getByText('Which index?').waitFor();
      await own.shown.go(`${segment}/brief_${name}`);
      await page.getByText(`Index brief_${name} not found`).first().waitFor();
      await page.getByRole('link', { name: 'To the indexes' }).first().click();
      await page.getByRole('link', { name: 'films', exact: true }).waitFor();
      own.shown.expectClean(/status of 404/);
    }
  });

  test('browses documents page by page, and filters by a click', async () => {
    const page = await own.open('data/notes');
    await page.getByText('1 to 25 of 30').waitFor();
    await own.shown.picture('data');
    await own.shown.expectAccessible();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('26 to 30 of 30').waitFor();
    await page.getByRole('button', { name: 'Previous page' }).click();
    await page.getByText('1 to 25 of 30').waitFor();
    await page.getByRole('button', { name: 'even one' }).first().click();
    await page.getByText('1 to 15', { exact: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('kind:(even one)');
    expect(await page.locator('td i').count()).toBe(0);
    own.shown.expectClean();
  });

  test('changes a document, makes its vectors anew where their text changes, and deletes it', async () => {
    const page = await own.open('data/notes');
    await page.getByRole('button', { name: 'odd one' }).first().click();
    await page.getByText('1 to 15', { exact: true }).waitFor();
    const dialog = page.getByRole('dialog');
    const edit = async (change: (document: any) => object) => {
      await page.getByRole('button', { name: 'n3', exact: true }).click();
      const text = dialog.getByLabel('The document as JSON');
      await text.waitFor();
      await text.fill(JSON.stringify(change(JSON.parse(await text.inputValue()))));
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await edit((document) => ({ ...document, count: 300 }));
    expect(await own.server.ok('GET', '/indexes/notes/documents/n3')).toMatchObject({
      count: 300,
      text: 'Note <i>3</i>',
    });
    const facetsOf = async () =>
      (await own.server.ok('GET', '/indexes/notes/documents/n3?expose_facets=true'))._tensor_facets[0];
    const before = await facetsOf();
    await edit((document) => ({ ...document, text: 'Something else' }));
    const after = await facetsOf();
    expect([before.text, after.text]).toEqual(['Note <i>3</i>', 'Something else']);
    expect(after._embedding).not.toEqual(before._embedding);
    await page.getByRole('button', { name: 'n3', exact: true }).click();
    await dialog.getByLabel('The document as JSON').fill('{ "_id": "n3", ');
    await dialog.getByText('This is no JSON yet').waitFor();
    await own.shown.expectAccessible();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('1 to 14', { exact: true }).waitFor();
    expect((await own.server.call('GET', '/indexes/notes/documents/n3')).status).toBe(404);
    own.shown.expectClean();
  });
});
