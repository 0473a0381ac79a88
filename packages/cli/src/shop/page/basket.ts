import { byId, CURRENCY, countText, element, priceText } from './elements.js';
import { picture } from './products.js';
import type { Product } from './shop.js';
import type { Tracker } from './tracker.js';

/** The products that a shopper is about to buy, for as long as the page is open. */
export class Basket {
  readonly #lines = new Map<string, { readonly product: Product; quantity: number }>();
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
    const remove = (id: string) => () => {
      this.#lines.delete(id);
      this.#count('The product is out of the basket.');
      this.#render();
    };
    body.replaceChildren(
      element(
        'ul',
        { class: 'lines' },
        ...lines.map(({ product, quantity }) =>
          element(
            'li',
            {},
            picture(product),
            element('span', { class: 'line' }, `${quantity} × ${product.productTitle}`),
            element('span', { class: 'price' }, priceText(product.price * quantity)),
            element(
              'button',
              {
                type: 'button',
                class: 'plain',
                'aria-label': `Remove ${product.productTitle}`,
                click: remove(product._id),
              },
              '✕',
            ),
          ),
        ),
      ),
      element('p', { class: 'total' }, 'Total ', element('strong', {}, priceText(total))),
      element('button', { type: 'button', class: 'buy wide', click: () => this.#order() }, 'Place the order'),
      element('p', { class: 'quiet' }, 'Nothing is sold here: an order is only told to the shop’s figures.'),
    );
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
  }
}
