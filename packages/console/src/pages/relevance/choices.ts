import { useEffect } from 'preact/hooks';
import { useIndexNames } from '../../documents/index-choice.js';
import { Store, useStore } from '../../store.js';
import { textOfPreset, type Way } from './configuration.js';

/** The index whose hits are judged; undefined until one is chosen. */
export const judgedIndex = new Store<string | undefined>(undefined);

/** The two ways to search that are compared. They stay while other pages are looked at. */
export const ways = new Store<readonly [Way, Way]>([
  { index: '', text: textOfPreset('words') },
  { index: '', text: textOfPreset('both') },
]);

/** Hits of each search of a comparison. */
export const depth = new Store(20);

/** Chooses the index where there is one alone: nobody wants to choose it. */
export function useOnlyIndex(): void {
  const names = useIndexNames();
  const chosen = useStore(judgedIndex);
  const [only] = names.data?.length === 1 ? names.data : [];
  useEffect(() => {
    if (chosen === undefined && only !== undefined) judgedIndex.set(only);
  }, [chosen, only]);
  useEffect(() => {
    // Whoever compares means the index that was judged, until they say otherwise.
    if (chosen === undefined) return;
    const [first, second] = ways.value;
    ways.set([
      { ...first, index: first.index || chosen },
      { ...second, index: second.index || chosen },
    ]);
  }, [chosen]);
}
