import type { ShopOfPage } from './shop.js';

/** The part of the script `tracker.js` that the page calls. */
export interface Tracker {
  search(query: string, ids: readonly string[], queryId: string, view: { readonly filtered: boolean }): void;
  more(ids: readonly string[]): void;
  click(docId: string, title: string): void;
  addToCart(docId: string, title: string, currency: string): void;
  purchase(
    items: readonly {
      readonly docId: string;
      readonly title: string;
      readonly quantity: number;
      readonly price: number;
    }[],
    currency: string,
  ): void;
  consent(given: boolean): void;
  shopper(): Shopper;
}

/** The members of a search that say who asks: none before consent. */
export interface Shopper {
  readonly userId?: string;
  readonly sessionId?: string;
}

declare function pelorusTracker(options: object): Tracker;

/** A yes is kept, as the shopper then agreed that things are; a no is not, and is asked for on the next page. */
const AGREED = 'sample-shop.agreed';

export function trackerOf({ address, trackingKey, name }: ShopOfPage): Tracker {
  return pelorusTracker({
    ...{ url: address, key: trackingKey, customerId: name },
    ...{ source: 'web_prod', consent: stored() },
  });
}

/** Asks the shopper whether their actions may be counted, and lets them take it back, of which `onRefusal` is told. */
export function askConsent(tracker: Tracker, onRefusal: () => void): void {
  const [bar, again] = ['consent', 'consent-again'].map((id) => document.getElementById(id) as HTMLElement);
  if (bar === undefined || again === undefined) return;
  // A shopper whose browser asks for privacy is not counted, whatever they answer.
  if ((navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true) {
    again.textContent = 'Your browser asks for privacy, so nothing is counted.';
    again.setAttribute('disabled', '');
    return;
  }
  const answer = (given: boolean) => () => {
    tracker.consent(given);
    store(given);
    if (!given) onRefusal();
    bar.hidden = true;
    again.textContent = given ? 'Your visit is counted. Change this' : 'Your visit is not counted. Change this';
  };
  bar.querySelector('[value=yes]')?.addEventListener('click', answer(true));
  bar.querySelector('[value=no]')?.addEventListener('click', answer(false));
  again.addEventListener('click', () => {
    bar.hidden = false;
    bar.querySelector<HTMLElement>('[value=no]')?.focus();
  });
  if (stored()) again.textContent = 'Your visit is counted. Change this';
  else bar.hidden = false;
}

/** A browser that stores nothing is asked each time. */
function stored(): boolean {
  try {
    return localStorage.getItem(AGREED) === 'yes';
  } catch {
    return false;
  }
}

function store(given: boolean): void {
  try {
    if (given) localStorage.setItem(AGREED, 'yes');
    else localStorage.removeItem(AGREED);
  } catch {}
}
