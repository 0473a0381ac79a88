import { byId, countText, element, priceText } from './elements.js';
import type { Product, Shop } from './shop.js';

const SIMILAR = 4;

/** The actions of a shopper on a product. */
export interface Actions {
  open(product: Product): void;
  buy(product: Product): void;
}

export function picture({ _id, productTitle }: Product, size: 'card' | 'whole' = 'card'): HTMLImageElement {
  const alt = size === 'whole' ? `Drawing of ${productTitle}` : '';
  return element('img', { src: `/pictures/${_id}.svg`, alt, width: '320', height: '240', loading: 'lazy' });
}

/** The card of a product in a list. Its title is a button that spans the card. */
export function card(product: Product, { open, buy }: Actions): HTMLElement {
  const { productTitle, brand, price, stock } = product;
  const title = element('button', { type: 'button', class: 'title', click: () => open(product) }, productTitle);
  return element(
    'li',
    { class: stock === 0 ? 'card sold' : 'card' },
    element(
      'div',
      { class: 'picture' },
      picture(product),
      stock === 0 && element('span', { class: 'tag' }, 'Sold out'),
    ),
    element('p', { class: 'brand' }, brand),
    element('h3', {}, title),
    stars(product),
    element('div', { class: 'foot' }, element('span', { class: 'price' }, priceText(price)), buyButton(product, buy)),
  );
}

function buyButton(product: Product, buy: (product: Product) => void): HTMLButtonElement {
  const isSold = product.stock === 0;
  const attributes = { type: 'button', class: 'buy', disabled: isSold, click: () => buy(product) };
  return element(
    'button',
    attributes,
    isSold ? 'Sold out' : 'Add',
    element('span', { class: 'unseen' }, ` ${product.productTitle}`),
  );
}

function stars({ rating, reviewCount }: Product): HTMLElement {
  const full = Math.round(rating);
  return element(
    'p',
    { class: 'stars' },
    element('span', { 'aria-hidden': 'true' }, '★'.repeat(full) + '☆'.repeat(5 - full)),
    element('span', { class: 'unseen' }, `${rating} of 5 stars, `),
    element('span', { class: 'reviews' }, countText(reviewCount, 'review')),
  );
}

/** Grey cards while an answer is awaited. */
export const placeholders = (count: number): HTMLElement[] =>
  Array.from({ length: count }, () => element('li', { class: 'card waiting', 'aria-hidden': 'true' }));

/** Shows one product, and those like it as soon as they are found. */
export async function showProduct(product: Product, shop: Shop, actions: Actions): Promise<void> {
  const dialog = byId<HTMLDialogElement>('product');
  const { productTitle, brand, category, colour, description, price, stock } = product;
  const similar = element('ul', { class: 'grid small' });
  const about = element(
    'div',
    { class: 'about' },
    element('p', { class: 'brand' }, `${brand} · ${category} · ${colour}`),
    element('h2', { id: 'product-title' }, productTitle),
    stars(product),
    element('p', {}, description),
    element('p', { class: 'stock' }, stock === 0 ? 'Sold out' : stock < 10 ? `Only ${stock} left` : 'In stock'),
    element(
      'div',
      { class: 'foot' },
      element('span', { class: 'price' }, priceText(price)),
      buyButton(product, actions.buy),
    ),
  );
  byId('product-body').replaceChildren(
    element('div', { class: 'whole' }, element('div', { class: 'picture' }, picture(product, 'whole')), about),
    element('h3', {}, 'More like this'),
    similar,
  );
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  // The product is shown without them where they cannot be had.
  const found = await shop.similar(product._id, SIMILAR).catch(() => []);
  similar.replaceChildren(...found.map((one) => card(one, actions)));
}
