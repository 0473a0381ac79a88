import { byId, CURRENCY, countText, element, priceText } from './elements.js';
import { picture } from './products.js';
import type { Product } from './shop.js';
import type { Tracker } from './tracker.js';

interface Line {
  readonly product: Product;
  quantity: number;
}

/** The products that a shopper is about to buy, for as long as the page is open. */
export class Basket {
  readonly #lines = new Map<string, Line>();
  readonly #tracker: Tracker;

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
    byId('basket-open').addEventListener('click', () => this.#show());
  }

  add(product: Product): void {
    const line = this.#lines.get(product._id);
    if (line === undefined) this.#lines.set(product._id, { product, quantity: 1 });
    else line.quantity += 1;
    this.#tracker.addToCart(product._id, product.productTitle, CURRENCY);
    this.#count(`${product.productTitle} is in the basket.`);
  }

  #count(told: string): void {
    const count = [...this.#lines.values()].reduce((sum, { quantity }) => sum + quantity, 0);
    byId('basket-count').textContent = String(count);
    byId('told').textContent = told;
  }

  #show(): void {
    const dialog = byId<HTMLDialogElement>('basket');
    this.#render();
    if (!dialog.open) dialog.showModal();
  }

  #render(): void {
    const lines = [...this.#lines.values()];
    const body = byId('basket-body');
    if (lines.length === 0) {
      body.replaceChildren(element('p', { class: 'quiet' }, 'Nothing is in the basket yet.'));
      return;
    }
    const total = lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
    body.replaceChildren(
      element('ul', { class: 'lines' }, ...lines.map((line) => this.#line(line))),
      element('p', { class: 'total' }, 'Total ', element('strong', {}, priceText(total))),
      element('button', { type: 'button', class: 'buy wide', click: () => this.#order() }, 'Place the order'),
      element('p', { class: 'quiet' }, 'Nothing is sold here: an order is only told to the shop’s figures.'),
    );
  }

  #line(line: Line): HTMLElement {
    const { product, quantity } = line;
    const title = product.productTitle;
    const step = (sign: string, name: string, by: 1 | -1) =>
      element(
        'button',
        {
          type: 'button',
          class: 'plain',
          id: `${name.toLowerCase()}-${product._id}`,
          'aria-label': `${name} ${title}`,
          disabled: quantity + by < 1,
          click: () => this.#set(line, quantity + by),
        },
        sign,
      );
    return element(
      'li',
      {},
      picture(product),
      element('span', { class: 'line' }, title),
      element('span', { class: 'amount' }, step('−', 'Less', -1), String(quantity), step('+', 'More', 1)),
      element('span', { class: 'price' }, priceText(product.price * quantity)),
      element(
        'button',
        {
          ...{ type: 'button', class: 'plain', id: `remove-${product._id}` },
          ...{ 'aria-label': `Remove ${title}`, click: () => this.#set(line, 0) },
        },
        '✕',
      ),
    );
  }

  #set(line: Line, quantity: number): void {
    const { _id, productTitle } = line.product;
    const focused = document.activeElement?.id ?? '';
    const place = [...this.#lines.keys()].indexOf(_id);
    if (quantity > line.quantity) this.#tracker.addToCart(_id, productTitle, CURRENCY);
    line.quantity = quantity;
    if (quantity === 0) this.#lines.delete(_id);
    this.#count(quantity === 0 ? 'The product is out of the basket.' : `${quantity} × ${productTitle}.`);
    this.#render();
    this.#focus(quantity === 0 ? this.#removal(place) : focused, `more-${_id}`);
  }

  /** The id of the control that removes the line at a place, or the last one; empty where there is none. */
  #removal(place: number): string {
    const id = [...this.#lines.keys()].at(Math.min(place, this.#lines.size - 1));
    return id === undefined ? '' : `remove-${id}`;
  }

  /** Keeps the place of who goes through the lines by keys, which are drawn anew: at the first control that can be used. */
  #focus(...ids: readonly string[]): void {
    const controls = ids.map((id) => document.getElementById(id));
    const usable = controls.find((control) => control?.matches('#basket-body button:enabled'));
    (usable ?? document.querySelector<HTMLElement>('#basket .close'))?.focus();
  }

  #order(): void {
    const lines = [...this.#lines.values()];
    const bought = lines.map(({ product: { _id, productTitle, price }, quantity }) => ({
      ...{ docId: _id, title: productTitle },
      ...{ quantity, price },
    }));
    this.#tracker.purchase(bought, CURRENCY);
    this.#lines.clear();
    this.#count('The order is placed.');
    byId('basket-body').replaceChildren(
      element(
        'p',
        { class: 'thanks' },
        `Thank you! ${countText(lines.length, 'product is', 'products are')} on the way.`,
      ),
    );
    this.#focus();
  }
}
