import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../cli/src/demo/random.js';

/** The list of what must be there, and its copies. */
export const INVENTORIES = ['inventory.json', 'inventory.copy-1.json', 'inventory.copy-2.json'];

/** A way in which an entry at the root of a data directory comes to be what it should not be. */
export type Damage = 'gone' | 'older' | 'emptied' | 'one bit' | 'cut';

export const damages: readonly Damage[] = ['gone', 'older', 'emptied', 'one bit', 'cut'];

/** Entries, each with its damage. */
export type Damaged = readonly (readonly [entry: string, damage: Damage])[];

/** All sets of up to `most` of the entries, with each of the damages. */
export function damagedSets(entries: readonly string[], most: number): Damaged[] {
  const [entry, ...others] = entries;
  if (entry === undefined || most === 0) return [[]];
  const withIt = damagedSets(others, most - 1);
  return [
    ...damagedSets(others, most),
    ...damages.flatMap((damage) => withIt.map((set) => [[entry, damage] as const, ...set])),
  ];
}

/** A set by its name, and a seed of its own. */
type NamedSet = readonly [name: string, set: Damaged, seed: number];

/** Sets of up to three of the entries: all of one, and `count` of more, or as many as `PELORUS_FAULTS` says. */
export function someDamagedSets(entries: readonly string[], count: number, seed: number): NamedSet[] {
  const all = damagedSets(entries, 3);
  const larger = new Random(seed).shuffled(all.filter((set) => set.length > 1));
  const chosen = [
    ...all.filter((set) => set.length < 2),
    ...larger.slice(0, Number(process.env.PELORUS_FAULTS ?? count)),
  ];
  const nameOf = (set: Damaged) => set.map(([entry, damage]) => `${entry} ${damage}`).join(', ') || 'nothing damaged';
  return chosen.map((set, at) => [nameOf(set), set, seed + at]);
}

/** Makes a copy of the data directory `whole` at `folder`, in which these entries are damaged. */
export function damagedCopy(whole: string, earlier: string, folder: string, set: Damaged, seed: number): void {
  const random = new Random(seed);
  rmSync(folder, { recursive: true, force: true });
  cpSync(whole, folder, { recursive: true });
  for (const [entry, damage] of set) {
    const path = join(folder, entry);
    if (damage === 'emptied' && lstatSync(path).isDirectory()) {
      rmSync(path, { recursive: true });
      mkdirSync(path);
    } else if (damage === 'emptied') writeFileSync(path, '');
    else if (damage === 'gone' || damage === 'older') {
      rmSync(path, { recursive: true });
      if (damage === 'older') cpSync(join(earlier, entry), path, { recursive: true });
    } else spoil(path, damage, random);
  }
}

/** Damages a file, or one file of a folder. */
function spoil(path: string, damage: 'one bit' | 'cut', random: Random): void {
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path).filter((name) => isSpoilt(join(path, name)));
    if (names.length > 0) spoil(join(path, names[random.int(0, names.length - 1)] as string), damage, random);
    return;
  }
  const bytes = readFileSync(path);
  const at = random.int(1, bytes.length - 1);
  if (damage === 'one bit') bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.int(0, 7)), at);
  writeFileSync(path, damage === 'cut' ? bytes.subarray(0, at) : bytes);
}

/** Files of keys and records that say something: not the time of a last use, nor the place of a version that was replaced. */
function isSpoilt(path: string): boolean {
  const found = statSync(path);
  return found.isDirectory()
    ? readdirSync(path).some((name) => isSpoilt(join(path, name)))
    : found.size > 1 && !path.endsWith('last-used.json');
}
