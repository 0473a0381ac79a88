import { expect, test } from 'vitest';
import { generateProducts } from '../../src/demo/generate-products.js';
import { GLYPHS, SHELVES } from '../../src/shop/glyphs.js';
import { Pictures } from '../../src/shop/pictures.js';

const products = generateProducts();
const pictures = new Pictures(products);

test('every product of the sample catalogue and every department has a picture', () => {
  expect(products.filter(({ _id }) => pictures.ofProduct(_id) === undefined)).toEqual([]);
  const departments = [...new Set(products.map(({ category }) => category))];
  expect(departments.filter((name) => pictures.ofShelf(name) === undefined)).toEqual([]);
});

test('shelves that have a drawing are those of the catalogue, and every drawing stands on one', () => {
  const shelves = products.flatMap(({ category, subcategory }) => [category, `${category}/${subcategory}`]);
  expect(Object.keys(SHELVES).filter((name) => !shelves.includes(name))).toEqual([]);
  expect(Object.keys(GLYPHS).filter((name) => !Object.values(SHELVES).includes(name))).toEqual([]);
});

test('a picture has the colour of its product, and is the same each time', () => {
  const product = (colour: string) => new Pictures([{ ...(products[0] as (typeof products)[number]), colour }]);
  const picture = (colour: string) => product(colour).ofProduct('product-0001');
  expect(picture('signal yellow')).toBe(picture('yellow'));
  expect(picture('red')).not.toBe(picture('blue'));
  expect(picture('of no name')).toBe(picture('unheard of'));
});
