import { generateProducts } from '../demo/generate-products.js';
import type { Product } from '../demo/product.js';
import { GLYPHS, SHELVES } from './glyphs.js';

/** Colours by the word that names them in the sample catalogue; the last such word of a name counts. */
const COLOURS: Readonly<Record<string, string>> = {
  black: '#3a3f46',
  graphite: '#4b5057',
  charcoal: '#454a50',
  grey: '#8a9099',
  slate: '#64707d',
  silver: '#a3adb6',
  steel: '#98a2ab',
  zinc: '#8d9aa3',
  tin: '#9aa5ae',
  white: '#b9c3cc',
  cream: '#dcc78f',
  ivory: '#d9cda8',
  oat: '#cdb98d',
  natural: '#d2bf97',
  linen: '#c9b896',
  stone: '#b3ab9d',
  sand: '#d3b57f',
  tan: '#c29566',
  tobacco: '#8b5e3c',
  brown: '#8a6142',
  check: '#8a6142',
  walnut: '#7b5336',
  oak: '#c49a6c',
  wood: '#c9a377',
  paper: '#c4a57a',
  amber: '#d18b2c',
  ochre: '#c78a2b',
  mustard: '#d1a12b',
  yellow: '#e3b62f',
  sunflower: '#e5b52c',
  brass: '#b8953f',
  copper: '#b8703f',
  rust: '#b4532f',
  terracotta: '#c4664a',
  orange: '#e07b39',
  coral: '#ef7e6b',
  red: '#cf3f3a',
  burgundy: '#7d2a3c',
  plum: '#75406e',
  rose: '#d98a98',
  pink: '#dd9fae',
  pastel: '#c29fce',
  multicoloured: '#8f6cc4',
  blue: '#3f74c0',
  navy: '#2f4468',
  indigo: '#45508f',
  petrol: '#1f6a75',
  teal: '#2b8c86',
  mint: '#6dba97',
  sage: '#8aa37f',
  olive: '#7d7f43',
  green: '#4f8a4d',
  melange: '#9a9ea6',
  glass: '#8fb5bb',
  jar: '#8fb5bb',
};
const OTHER_COLOUR = '#7a8794';

/** Draws the pictures of the sample catalogue, which has none of its own: the thing, in the colour of the product. */
export class Pictures {
  readonly #products: ReadonlyMap<string, Product>;

  constructor(products: readonly Product[] = generateProducts()) {
    this.#products = new Map(products.map((product) => [product._id, product]));
  }

  /** The SVG of a product, by its id; undefined of one that is not in the catalogue. */
  ofProduct(id: string): string | undefined {
    const product = this.#products.get(id);
    if (product === undefined) return undefined;
    const { category, subcategory, colour } = product;
    const glyph = GLYPHS[SHELVES[`${category}/${subcategory}`] ?? SHELVES[category] ?? ''];
    return glyph === undefined ? undefined : scene(glyph, colourOf(colour));
  }

  /** The SVG of a shelf of the catalogue, by its name; undefined of one that it does not have. */
  ofShelf(name: string): string | undefined {
    const glyph = Object.hasOwn(SHELVES, name) ? GLYPHS[SHELVES[name] ?? ''] : undefined;
    return glyph === undefined ? undefined : icon(glyph);
  }
}

/** The mark of the shop: a compass needle in a ring. */
export const ICON = svg(
  '0 0 32 32',
  '<circle cx="16" cy="16" r="14" fill="#1f5f6b"/><path d="M16 5l4 11-4 11-4-11z" fill="#fff"/><path d="M12 16h8l-4 11z" fill="#f0a36f"/>',
);

function colourOf(name: string): string {
  const word = name.split(' ').findLast((one) => Object.hasOwn(COLOURS, one));
  return COLOURS[word ?? ''] ?? OTHER_COLOUR;
}

/** A thing on a ground of its colour, as wide as it is in photographs: 4 to 3. */
function scene(glyph: string, colour: string): string {
  const [ground, light, dark] = [
    mixed(colour, '#ffffff', 0.84),
    mixed(colour, '#ffffff', 0.62),
    mixed(colour, '#10161d', 0.45),
  ];
  return svg(
    '0 0 320 240',
    `<rect width="320" height="240" fill="${ground}"/><circle cx="160" cy="118" r="86" fill="${light}"/>` +
      `<ellipse cx="160" cy="206" rx="70" ry="7" fill="${dark}" opacity=".14"/>` +
      `<g transform="translate(91 49) scale(2.875)" stroke="${dark}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" fill="${mixed(colour, '#ffffff', 0.2)}" fill-opacity=".82"><path d="${glyph}"/></g>`,
  );
}

function icon(glyph: string): string {
  return svg(
    '0 0 48 48',
    `<path d="${glyph}" fill="#cfe3e5" stroke="#1f5f6b" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>`,
  );
}

function svg(viewBox: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${content}</svg>`;
}

/** `share` of the other colour in one, by their parts of red, green and blue. */
function mixed(colour: string, other: string, share: number): string {
  const parts = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const [from, to] = [parts(colour), parts(other)];
  const hex = from.map((part, at) =>
    Math.round(part + ((to[at] ?? 0) - part) * share)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${hex.join('')}`;
}
