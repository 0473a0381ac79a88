import { useIndexNames } from '../../documents/index-choice.js';
import { keepIndex, lastIndexOf } from '../../documents/last-index.js';
import { useMeaning } from '../../documents/use-meaning.js';
import { Store, useStore } from '../../store.js';
import type { Side } from './comparison-run.js';
import { textOfPreset, type Way } from './configuration.js';

/** The choice of somebody for each of two ways to search; undefined where there is none. */
type Both = readonly [string | undefined, string | undefined];

const NEITHER: Both = [undefined, undefined];

const withSide = ([first, second]: Both, side: Side, value: string): Both =>
  side === 0 ? [value, second] : [first, value];

/** The index whose hits are judged, by the name of the set. */
const judgedIndexes = new Store<Readonly<Record<string, string>>>({});
/** The indexes of the ways to search that are compared, by the name of the set: those that are not the judged one. */
const comparedIndexes = new Store<Readonly<Record<string, Both>>>({});
/** The texts of both ways to search. They stay while other pages are looked at, and for other sets. */
const writtenTexts = new Store<Both>(NEITHER);

/** Hits of each search of a comparison. */
export const depth = new Store(20);

/** Chooses the index whose hits are judged by a set, also for the next visit. */
export function judgeIndex(set: string, index: string): void {
  judgedIndexes.set({ ...judgedIndexes.value, [set]: index });
  keepIndex(index, set);
}

/** The index whose hits are judged by a set: the one that was chosen last for it, else the last one at all. */
export function useJudgedIndex(set: string): string | undefined {
  const chosen = useStore(judgedIndexes)[set];
  const last = lastIndexOf(useIndexNames().data, set);
  return chosen ?? last;
}

/** Chooses the index of one way to search. */
export function compareIndex(set: string, side: Side, index: string): void {
  const both = comparedIndexes.value[set] ?? NEITHER;
  comparedIndexes.set({ ...comparedIndexes.value, [set]: withSide(both, side, index) });
}

/** Writes the members of one way to search. */
export function writeText(side: Side, text: string): void {
  writtenTexts.set(withSide(writtenTexts.value, side, text));
}

/** Takes both ways to search as they were saved. */
export function takeWays(set: string, [first, second]: readonly [Way, Way]): void {
  comparedIndexes.set({ ...comparedIndexes.value, [set]: [first.index, second.index] });
  writtenTexts.set([first.text, second.text]);
}

/** A way to search, with what is known of its index. */
export interface ShownWay extends Way {
  readonly hasMeaning: boolean;
}

/** Both ways to search that a set compares: whoever compares means the judged index, until they say otherwise. */
export function useWays(set: string): readonly [ShownWay, ShownWay] {
  const judged = useJudgedIndex(set);
  const [first = judged, second = judged] = useStore(comparedIndexes)[set] ?? NEITHER;
  const [firstText, secondText] = useStore(writtenTexts);
  const hasMeaning = [useMeaning(first).hasMeaning, useMeaning(second).hasMeaning] as const;
  return [
    { index: first ?? '', text: firstText ?? textOfPreset('words'), hasMeaning: hasMeaning[0] },
    {
      index: second ?? '',
      text: secondText ?? textOfPreset(hasMeaning[1] ? 'both' : 'typos'),
      hasMeaning: hasMeaning[1],
    },
  ];
}
