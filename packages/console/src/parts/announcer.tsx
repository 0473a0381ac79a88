import { useEffect, useState } from 'preact/hooks';
import { Store, useStore } from '../store.js';

const announced = new Store<{ readonly text: string } | undefined>(undefined);

/** Tells in a line at the foot of the page, which screen readers read out, what was done. */
export function announce(text: string): void {
  announced.set({ text });
}

const SHOWN_MS = 5_000;

export function Announcer() {
  const news = useStore(announced);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (news === undefined) return;
    setShown(true);
    const timer = setTimeout(() => setShown(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [news]);
  return (
    <div class={`announcer ${isShown ? 'announcer-shown' : ''}`} role="status" aria-live="polite">
      {news?.text}
    </div>
  );
}
