import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFileError, type Generations, readSealed, sealOlder, syncFolder, writeSealed } from '@pelorus/files';
import type { HostedIndexes } from '@pelorus/hosted';
import { placeOf as placeOfArticles } from './agentic/help-centre.js';
import { type CatalogueContext, isContext, placeOf as placeOfContext } from './agentic/kept-context.js';
import { namesIn, type Place } from './json-file.js';
import { numbersIn, placeOf, type SettingsVersion } from './settings-versions.js';
import { type PlaceOfShop, placeOfShop, ShopFiles, type Tell } from './shop-files.js';

type Contexts = Readonly<Record<string, CatalogueContext>>;

/**
 * Brings what was once kept of shops in folders of its kind, those of all shops together, into the folders of their
 * indexes. Each step can be done again: a start that is cut short is gone on with by the next.
 * @returns by id, why it cannot be brought over; and why contexts that were not may be lost, null where they are not
 */
export async function moveFromOlderPlaces(
  folder: string,
  hosted: HostedIndexes,
  tell: Tell,
  generations?: Generations,
): Promise<{ readonly faults: ReadonlyMap<string, string>; readonly contextsFault: string | null }> {
  const faults = new Map<string, string>();
  const shops = hosted.list().filter(({ shop }) => shop !== null);
  const [settings, help] = [
    new Set(await namesIn(join(folder, 'settings'))),
    new Set(await namesIn(join(folder, 'help-centres'))),
  ];
  const contextsPath = join(folder, 'contexts.json');
  let contexts: Contexts = {};
  let contextsFault: string | null = null;
  try {
    contexts = (await readSealed(contextsPath, { name: 'contexts', isValue: areContexts })) ?? {};
  } catch (error) {
    contextsFault = (error as Error).message;
    tell({ reason: contextsFault }, 'The contexts of catalogues cannot be read');
  }
  for (const { id } of shops) {
    const hasSettings = settings.has(id) || settings.has(`${id}.json`);
    const context = contexts[id];
    if (!hasSettings && !help.has(`${id}.json`) && context === undefined) continue;
    try {
      await move(placeOfShop(id, hosted, generations), folder, {
        hasSettings,
        hasHelp: help.has(`${id}.json`),
        context,
      });
    } catch (error) {
      faults.set(id, (error as Error).message);
    }
  }
  try {
    await forgetContexts(contextsPath, contexts, hosted, faults);
    await tellStrays(folder, hosted, tell);
  } catch (error) {
    // The next start does it.
    tell({ reason: (error as Error).message }, 'The older places of files cannot be looked through');
  }
  return { faults, contextsFault };
}

interface Found {
  readonly hasSettings: boolean;
  readonly hasHelp: boolean;
  readonly context: CatalogueContext | undefined;
}

async function move(shop: PlaceOfShop, folder: string, found: Found): Promise<void> {
  const { id, folder: target } = shop;
  const files = await ShopFiles.open(shop);
  if (files.fault !== null) return;
  const old = { settings: join(folder, 'settings', id), help: join(folder, 'help-centres', `${id}.json`) };
  const there = new Set(await namesIn(target));
  const takesSettings = found.hasSettings && !there.has('settings');
  const takesHelp = found.hasHelp && !there.has('help-centre.json');
  const takesContext = found.context !== undefined && !there.has('context.json');
  if (takesSettings) await splitVersions(old.settings, files);
  const [newest = 0] = takesSettings ? await numbersIn(old.settings) : [];
  const change = {
    ...(takesSettings && { settings: newest }),
    ...(takesHelp && { hasHelpCentre: true }),
    ...(takesContext && { hasContext: true }),
  };
  // The list first: what is on its way then counts as lost, and closes the shop, rather than as never kept.
  await files.keep(change, async () => undefined);
  if (takesSettings && newest > 0) await rename(old.settings, join(target, 'settings'));
  if (takesHelp) await rename(old.help, join(target, 'help-centre.json'));
  if (takesContext && found.context !== undefined) {
    const place = placeOfContext(files);
    await writeSealed(place.path, found.context, place);
  }
  await syncFolder(target);
  if (takesSettings) {
    for (const number of await numbersIn(join(target, 'settings'))) await seal(placeOf(files, number));
  }
  if (takesHelp) await seal(placeOfArticles(files));
}

/** Seals the file of a place. One that is damaged is left as it is: whoever opens it tells. */
async function seal<Value>(place: Place<Value>): Promise<void> {
  await sealOlder(place.path, place).catch((error: Error) => {
    if (!(error instanceof DamagedFileError)) throw error;
  });
}

/** All versions once stood in `<folder>.json`. The file is removed when each of them has one of its own. */
async function splitVersions(folder: string, files: ShopFiles): Promise<void> {
  const path = `${folder}.json`;
  const isValue = (value: unknown): value is readonly SettingsVersion[] =>
    Array.isArray(value) && value.every((one) => placeOf(files, one?.version).isValue(one));
  const together = await readSealed(path, { name: 'versions', isValue });
  if (together === undefined) return;
  await mkdir(folder, { recursive: true });
  const there = new Set(await numbersIn(folder));
  for (const version of together) {
    if (version.version === 0 || there.has(version.version)) continue;
    const place = placeOf(files, version.version);
    await writeSealed(join(folder, `${version.version}.json`), version, place);
  }
  await rm(path, { force: true });
}

/** Drops the file of all contexts once each shop has its own. */
async function forgetContexts(
  path: string,
  contexts: Contexts,
  hosted: HostedIndexes,
  faults: ReadonlyMap<string, string>,
): Promise<void> {
  const ids = Object.keys(contexts);
  const known = new Set(hosted.list().map(({ id }) => id));
  // An index whose record is damaged may be there again after a repair.
  const waiting = ids.filter((id) => faults.has(id) || (!known.has(id) && hosted.has(id)));
  if (ids.length > 0 && waiting.length === 0) await rm(path, { force: true });
}

async function tellStrays(folder: string, hosted: HostedIndexes, tell: Tell): Promise<void> {
  for (const kind of ['settings', 'help-centres']) {
    for (const name of await namesIn(join(folder, kind))) {
      if (hosted.has(name.replace(/\.json$/, ''))) continue;
      tell({ path: join(folder, kind, name) }, 'This is of no shop, and is left alone');
    }
  }
}

function areContexts(value: unknown): value is Contexts {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isContext);
}
