import { expect, test } from 'vitest';
import { categories } from '../../src/demo/categories.js';
import { generateProducts } from '../../src/demo/generate-products.js';

const products = generateProducts();

test('there are more than a thousand products on more than fifteen shelves', () => {
  expect(products).toHaveLength(1200);
  expect(new Set(products.map((product) => product.category)).size).toBe(20);
});

test('no two are alike, in title or in description', () => {
  expect(new Set(products.map((product) => product._id)).size).toBe(products.length);
  expect(new Set(products.map((product) => product.title)).size).toBe(products.length);
  expect(new Set(products.map((product) => product.description)).size).toBe(products.length);
});

test('the catalogue is the same in every run', () => {
  expect(generateProducts()).toEqual(products);
});

test('every description has several sentences', () => {
  for (const { description } of products)
    expect(description.match(/[.?](\s|$)/g)?.length, description).toBeGreaterThan(3);
});

test('numbers and times are within what they mean', () => {
  for (const product of products) {
    expect(product.price).toBeGreaterThan(0);
    expect(product.rating).toBeGreaterThanOrEqual(1);
    expect(product.rating).toBeLessThanOrEqual(5);
    expect(Number.isInteger(product.stock) && product.stock >= 0).toBe(true);
    expect(product.updatedAt).toBeGreaterThanOrEqual(product.createdAt);
  }
  expect(products.some((product) => product.stock === 0)).toBe(true);
});

test('values to filter by are short enough for a filter', () => {
  for (const { brand, category, subcategory, colour } of products) {
    for (const value of [brand, category, subcategory, colour]) expect(value.length).toBeLessThanOrEqual(50);
  }
});

test('no sentence was written twice on one shelf', () => {
  for (const { name, families, closings } of categories) {
    const sentences = [
      ...closings,
      ...families.flatMap(({ kinds, details }) => [...details, ...kinds.map(({ lead }) => lead)]),
    ];
    expect(new Set(sentences).size, name).toBe(sentences.length);
  }
});
