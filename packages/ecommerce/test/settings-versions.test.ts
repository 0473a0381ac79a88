import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptShop } from '../src/kept-shop.js';

const id = '0123456789abcdef';
const unfinished = (name: string) => `${name}.00000000-0000-0000-0000-000000000000.tmp`;

let root: string;
let folder: string;
let told: object[];
/** Names of the files that there were each time that the list was noted. */
let noted: string[][];
const note = {
  get isMade() {
    return noted.length > 0;
  },
  make: async () => void noted.push(await readdir(folder)),
};
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pelorus-settings-'));
  folder = join(root, id);
  await mkdir(folder);
  told = [];
  noted = [];
});
afterEach(() => rm(root, { recursive: true }));

const open = () => KeptShop.open({ id, folder, note }, (fields) => told.push(fields));
const change = ({ settings }: KeptShop, number: number) => settings.change({ customerId: `customer-${number}` }, null);
const numbersOf = ({ settings }: KeptShop) => settings.versions.map(({ version }) => version);
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, age) => from - age);
const path = (name: string) => join(folder, 'settings', name);
const files = async () => (await readdir(join(folder, 'settings'))).sort();

test('a change writes its own version and leaves the files of the others alone', async () => {
  const shop = await open();
  for (let number = 1; number <= 5; number += 1) await change(shop, number);
  const before = await stat(path('5.json'));
  await change(shop, 6);
  expect(await files()).toEqual(['1.json', '2.json', '3.json', '4.json', '5.json', '6.json']);
  const after = await stat(path('5.json'));
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

test('twenty versions are kept, over a restart too', async () => {
  let shop = await open();
  expect(numbersOf(shop)).toEqual([0]);
  for (let number = 1; number <= 25; number += 1) {
    await change(shop, number);
    if (number % 7 === 0) shop = await open();
    expect(numbersOf(shop)).toEqual(down(number, Math.max(0, number - 19)));
  }
  expect(await files()).toHaveLength(20);
  shop = await open();
  expect(numbersOf(shop)).toEqual(down(25, 6));
  expect(shop.settings.versions.map(({ settings }) => settings.customerId)).toEqual(
    down(25, 6).map((number) => `customer-${number}`),
  );
  expect(told).toEqual([]);
});

test('changes at the same time are one version each', async () => {
  const shop = await open();
  const changes = [1, 2, 3, 4].map((number) => change(shop, number));
  expect((await Promise.all(changes)).map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  const refused = shop.settings.change({ customerId: 'x' }, 3);
  await expect(refused).rejects.toThrow('The settings are of version 4, not 3');
  expect(numbersOf(await open())).toEqual([4, 3, 2, 1, 0]);
});

test('versions that a crash cut short are gone after the next start', async () => {
  const shop = await open();
  for (let number = 1; number <= 22; number += 1) await change(shop, number);
  await writeFile(path(unfinished('23.json')), '{"version":');
  await writeFile(path('2.json'), await readFile(path('22.json')));
  expect(numbersOf(await open())).toEqual(down(22, 3));
  expect(await files()).toEqual(
    down(22, 3)
      .map((number) => `${number}.json`)
      .sort(),
  );
});

test('a version that was written whole counts, be it that the list was not told of it, or is an earlier one', async () => {
  const shop = await open();
  await change(shop, 1);
  const list = await readFile(join(folder, 'shop.json'));
  await change(shop, 2);
  await shop.settings.change({ requireApiKey: true }, null);
  for (let start = 1; start <= 2; start += 1) {
    if (start === 1) await writeFile(join(folder, 'shop.json'), list);
    const again = await open();
    expect([again.faults, again.settings.current.version]).toEqual([[], 3]);
    expect(again.settings.current.settings.requireApiKey).toBe(true);
  }
  await rm(path('3.json'));
  expect((await open()).faults).toEqual([expect.stringContaining('3.json is missing')]);
});

test('a later version that is none is told and left alone, until a change takes its place', async () => {
  const shop = await open();
  await change(shop, 1);
  for (const name of ['2.json', '9.json']) await writeFile(path(name), await readFile(path('1.json')));
  const again = await open();
  expect(again.settings.current.version).toBe(1);
  expect(told).toEqual([{ path: path('9.json') }, { path: path('2.json') }]);
  expect((await change(again, 4)).version).toBe(2);
  expect((await open()).settings.current.settings.customerId).toBe('customer-4');
});

test('a change that could not be noted is not there after a restart', async () => {
  const shop = await open();
  await change(shop, 1);
  const list = join(folder, 'shop.json');
  await rm(list);
  await mkdir(join(list, 'in the way'), { recursive: true });
  await expect(change(shop, 2)).rejects.toThrow();
  expect(await files()).toEqual(['1.json']);
});

test.each(['settings', 'shop.json', 'context.json', 'help-centre.json'])(
  'something else in the place of %s closes the shop, or part of it, and is left alone',
  async (name) => {
    const shop = await open();
    await change(shop, 1);
    await shop.context.put('Wear for rain.');
    await shop.helpCentre.reindex([]);
    await rm(join(folder, name), { recursive: true });
    await (name === 'settings' ? writeFile(join(folder, name), 'a file') : mkdir(join(folder, name)));
    const closed = await open();
    expect(closed.faults).toHaveLength(1);
    expect((await stat(join(folder, name))).isDirectory()).toBe(name !== 'settings');
  },
);

test.each([
  ['cut', (text: string) => text.slice(0, -20)],
  ['gone', () => null],
  ['that of a neighbour', (text: string) => text.replaceAll(id, 'fedcba9876543210')],
])(
  'where the newest version is %s there are no settings, until somebody goes back to another',
  async (_how, damage) => {
    const shop = await open();
    await change(shop, 1);
    await shop.settings.change({ requireApiKey: true }, null);
    const damaged = damage(await readFile(path('2.json'), 'utf8'));
    await (damaged === null ? rm(path('2.json')) : writeFile(path('2.json'), damaged));
    const closed = await open();
    expect(closed.faults).toEqual([expect.stringContaining(path('2.json'))]);
    expect(() => closed.settings.current).toThrow('Files of this shop cannot be read');
    await expect(change(closed, 3)).rejects.toThrow('Files of this shop cannot be read');
    expect(numbersOf(closed)).toEqual([1, 0]);
    if (damaged !== null) expect(await readFile(path('2.json'), 'utf8')).toBe(damaged);
    await expect(closed.rollBackSettings(2, null)).rejects.toThrow(
      'version must be one that is kept (1, 0), but it is 2',
    );
    expect((await closed.rollBackSettings(1, null)).version).toBe(3);
    const again = await open();
    expect([again.faults, again.settings.current.version, numbersOf(again)]).toEqual([[], 3, [3, 1, 0]]);
  },
);

test('an earlier version that is lost is told, and closes nothing', async () => {
  const shop = await open();
  for (let number = 1; number <= 3; number += 1) await change(shop, number);
  await writeFile(path('2.json'), '{');
  const again = await open();
  expect([again.faults, numbersOf(again)]).toEqual([[], [3, 1, 0]]);
  expect(told).toEqual([{ reason: expect.stringContaining('2.json is damaged') }]);
});

test.each(['gone', 'damaged'])(
  'a list of files that is %s closes all that it names, until it is made anew',
  async (how) => {
    const shop = await open();
    await change(shop, 1);
    await shop.context.put('Wear for rain.');
    const list = join(folder, 'shop.json');
    await (how === 'gone' ? rm(list) : writeFile(list, 'noise'));
    const closed = await open();
    expect(closed.faults).toEqual([expect.stringContaining(list)]);
    for (const use of [
      () => closed.settings.current,
      () => closed.context.value,
      () => closed.helpCentre.find('a', 1),
    ]) {
      expect(use).toThrow('Files of this shop cannot be read');
    }
    await expect(closed.context.put('x')).rejects.toThrow('Files of this shop cannot be read');
    await closed.rollBackSettings(1, null);
    for (const whole of [closed, await open()]) {
      expect([whole.faults, whole.settings.current.version, whole.context.value.text]).toEqual([
        [],
        2,
        'Wear for rain.',
      ]);
    }
  },
);

test.each(['context', 'help-centre'])('a %s that is gone closes itself alone, and a new one opens it', async (name) => {
  const articles = [{ id: 'a', title: 'Returns', text: 'Within a month.' }];
  const shop = await open();
  await change(shop, 1);
  await shop.context.put('Wear for rain.');
  await shop.helpCentre.reindex(articles);
  await rm(join(folder, `${name}.json`));
  const closed = await open();
  expect(closed.faults).toEqual([expect.stringContaining(`${name}.json is missing`)]);
  expect(closed.settings.current.version).toBe(1);
  expect(() => closed.checkWords()).toThrow('Files of this shop cannot be read');
  await (name === 'context' ? closed.context.put('Again.') : closed.helpCentre.reindex(articles));
  closed.checkWords();
  expect((await open()).faults).toEqual([]);
});

test('a change of a shop whose index is gone brings no folder of it back', async () => {
  const shop = await open();
  await rm(folder, { recursive: true });
  await expect(change(shop, 1)).rejects.toThrow();
  await expect(shop.context.put('x')).rejects.toThrow();
  expect(await readdir(root)).toEqual([]);
});

test('the note of a shop comes after its list and before anything that is to be missed', async () => {
  const shop = await open();
  await change(shop, 1);
  await change(shop, 2);
  expect(noted).toEqual([['shop.json']]);
});

test('a crash before the note closes nothing, and the next start makes it', async () => {
  await change(await open(), 1);
  noted = [];
  expect((await open()).faults).toEqual([]);
  expect(noted).toHaveLength(1);
});

test('a list that is gone with all that it names closes the shop, until somebody says what counts', async () => {
  await change(await open(), 1);
  await rm(join(folder, 'settings'), { recursive: true });
  await rm(join(folder, 'shop.json'));
  const shop = await open();
  expect(shop.faults).toEqual([`${join(folder, 'shop.json')} is missing: by its record the shop had one`]);
  expect(() => shop.settings.current).toThrow('cannot be read');
  await shop.rollBackSettings(0, null);
  expect([shop.faults, (await open()).faults]).toEqual([[], []]);
});
