import { Basket } from './basket.js';
import { byId, countText, element } from './elements.js';
import { bindControls, showFilters } from './filters.js';
import { type Actions, card, placeholders, showProduct } from './products.js';
import { type Answer, type Product, Shop, type ShopOfPage } from './shop.js';
import { askConsent, type Shopper, trackerOf } from './tracker.js';
import { addressOf, BEST, isFiltered, isHome, requestOf, toggled, type View, viewOf, withoutFilters } from './view.js';

const PAGE = 24;
/** Time without a key after which the shop is asked, and after which a query counts as made. */
const TYPED_MS = 120;
const SETTLED_MS = 1_500;
const IDEAS = ['something warm for a snowy mountain', 'gift for a coffee lover', 'quiet typing', 'kettel'];

const facts = JSON.parse(byId('shop').textContent ?? '') as ShopOfPage;
const shop = new Shop(facts);
const tracker = trackerOf(facts);
const basket = new Basket(tracker);
const [input, results] = [byId<HTMLInputElement>('q'), byId('results')];

let view = viewOf(location.search);
let shown: Product[] = [];
let asking = new AbortController();
/** Says who asked for the view, to all pages of it alike: in part for another they would repeat products and skip some. */
let asker: Shopper = {};
let typing: ReturnType<typeof setTimeout> | undefined;
let settling: ReturnType<typeof setTimeout> | undefined;
/** Tells the tracker of the answer that is shown; undefined once it was told. */
let tell: (() => void) | undefined;

const actions: Actions = {
  open(product) {
    settle();
    tracker.click(product._id, product.productTitle);
    void showProduct(product, shop, actions);
  },
  buy(product) {
    settle();
    basket.add(product);
  },
};

/** Counts the view as one that the shopper made, not one that they typed past. */
function settle(): void {
  clearTimeout(settling);
  tell?.();
  tell = undefined;
}

function change(next: View): void {
  view = next;
  byId<HTMLSelectElement>('sort').value = view.sort;
  if (input.value !== view.q) input.value = view.q;
  history.replaceState(null, '', addressOf(view));
  void ask();
}

/** Asks the shop for the view, and shows what it answers unless another one was asked for meanwhile. */
async function ask(): Promise<void> {
  clearTimeout(typing);
  clearTimeout(settling);
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const asked = view;
  asker = tracker.shopper();
  if (shown.length === 0) results.replaceChildren(...placeholders(8));
  results.setAttribute('aria-busy', 'true');
  try {
    const answer = await shop.search({ ...requestOf(asked, PAGE, 0), ...asker }, signal);
    if (signal.aborted) return;
    show(asked, answer);
  } catch (error) {
    if (!signal.aborted) showFailure(error);
  } finally {
    if (!signal.aborted) results.removeAttribute('aria-busy');
  }
}

function show(asked: View, answer: Answer): void {
  shown = [...answer.hits];
  const ids = shown.map(({ _id }) => _id);
  tell = () => tracker.search(asked.q, ids, answer.queryId, { filtered: isFiltered(asked) });
  settling = setTimeout(settle, SETTLED_MS);
  showFilters(asked, answer, change);
  showDepartments(asked, answer);
  const isNothing = shown.length === 0;
  const total = isTyped(asked) ? Math.min(answer.totalHits, BEST) : answer.totalHits;
  byId('heading').textContent = headingOf(asked);
  byId('found').textContent = isNothing ? '' : told(total, answer.totalHits);
  results.replaceChildren(...(isNothing ? [nothing(asked)] : shown.map((product) => card(product, actions))));
  showRedirect(answer.redirect);
  showMore(asked, total);
}

const isTyped = ({ q }: View): boolean => q.trim() !== '';
const told = (total: number, found: number): string =>
  total < found ? `the best ${total}` : countText(total, 'product');

function headingOf(asked: View): string {
  if (isHome(asked)) return 'Most reviewed';
  return isTyped(asked) ? `“${asked.q.trim()}”` : 'Products';
}

/** The departments as tiles, on the first view alone. */
function showDepartments(asked: View, { facets }: Answer): void {
  const tiles = isHome(asked) ? Object.keys(facets?.category ?? {}).toSorted() : [];
  byId('departments').replaceChildren(
    ...tiles.map((name) =>
      element(
        'li',
        {},
        element(
          'button',
          { type: 'button', click: () => change(toggled(view, 'category', name)) },
          element('img', { src: `/departments/${encodeURIComponent(name)}.svg`, alt: '', width: '48', height: '48' }),
          name,
        ),
      ),
    ),
  );
}

function showRedirect(redirect: string | null): void {
  const place = byId('redirect');
  place.hidden = redirect === null;
  place.replaceChildren(
    redirect === null ? '' : element('a', { href: redirect }, 'See the page that the shop has on this'),
  );
}

function showMore(asked: View, total: number): void {
  const more = byId<HTMLButtonElement>('more');
  more.hidden = shown.length === 0 || shown.length >= total;
  const { signal } = asking;
  let [next, isAsked] = [PAGE, false];
  more.onclick = async () => {
    // A button that is disabled meanwhile would lose the focus of who goes by keys.
    if (isAsked) return;
    isAsked = true;
    settle();
    try {
      const { hits } = await shop.search({ ...requestOf(asked, PAGE, next), ...asker }, signal);
      if (signal.aborted) return;
      next += PAGE;
      append(hits);
      more.hidden = hits.length < PAGE || next >= total;
    } catch (error) {
      if (!signal.aborted) byId('told').textContent = (error as Error).message;
    } finally {
      isAsked = false;
    }
  };
}

/** Shows the next page of the view below the others, and moves the focus to it from the button that asked for it. */
function append(hits: readonly Product[]): void {
  // An action of the shopper meanwhile may have moved a product to the next page.
  const known = new Set(shown.map(({ _id }) => _id));
  const fresh = hits.filter(({ _id }) => !known.has(_id));
  shown.push(...fresh);
  tracker.more(fresh.map(({ _id }) => _id));
  const cards = fresh.map((product) => card(product, actions));
  results.append(...cards);
  if (document.activeElement === byId('more')) cards[0]?.querySelector<HTMLElement>('.title')?.focus();
}

/** Tells that nothing was found, and the ways on from there. */
function nothing(asked: View): HTMLElement {
  const drop = () => change(withoutFilters(view));
  return element(
    'li',
    { class: 'nothing' },
    element('h3', {}, 'Nothing was found'),
    element(
      'p',
      {},
      isFiltered(asked) ? 'No product passes all of the filters.' : 'No product of the shop is like this.',
    ),
    isFiltered(asked) && element('button', { type: 'button', class: 'buy', click: drop }, 'Remove the filters'),
    element('p', { class: 'quiet' }, 'Or try one of these:'),
    element('p', { class: 'ideas' }, ...ideas()),
  );
}

function showFailure(error: unknown): void {
  shown = [];
  // The address says what was asked for: the heading of the last answer would be of something else.
  byId('heading').textContent = headingOf(view);
  byId('departments').replaceChildren();
  showRedirect(null);
  byId('found').textContent = '';
  byId('more').hidden = true;
  const isAway = error instanceof TypeError;
  results.replaceChildren(
    element(
      'li',
      { class: 'nothing', role: 'alert' },
      element('h3', {}, isAway ? 'The shop does not answer' : 'The shop could not search'),
      element('p', {}, isAway ? 'Its server may be away for a moment.' : (error as Error).message),
      element('button', { type: 'button', class: 'buy', click: () => void ask() }, 'Try again'),
    ),
  );
}

const ideas = (): HTMLElement[] =>
  IDEAS.map((q) =>
    element('button', { type: 'button', class: 'idea', click: () => change({ ...withoutFilters(view), q }) }, q),
  );

bindControls(() => view, change);
byId('ideas').append(...ideas());
input.value = view.q;
input.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => change({ ...view, q: input.value }), TYPED_MS);
});
byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  if (input.value !== view.q) change({ ...view, q: input.value });
  else settle();
  input.blur();
});
byId('home').addEventListener('click', (event) => {
  event.preventDefault();
  change({ ...withoutFilters(view), q: '', sort: 'relevance' });
});
// A filter list that is always open beside the products can be closed above them on a phone.
byId<HTMLDetailsElement>('filters').open = matchMedia('(min-width: 56rem)').matches;
for (const dialog of document.querySelectorAll('dialog')) {
  dialog.querySelector('.close')?.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
}
// Nothing more is asked for in the name of who no longer agrees.
askConsent(tracker, () => asker.userId !== undefined && void ask());
void ask();
