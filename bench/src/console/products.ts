import { randomNumbers } from '../serving/vectors.ts';

/** A made-up product. */
export interface Product {
  _id: string;
  title: string;
  description: string;
  brand: string;
  category: string;
  price: number;
  stock: number;
}

const CONSONANTS = 'bcdfglmnprstv';
const VOWELS = 'aeiou';
/** Words of all texts, each by its place: those of low places are the commonest. */
const VOCABULARY = 20_000;
const BRANDS = 40;
const CATEGORIES = 12;
const TITLE_WORDS = 6;
const DESCRIPTION_WORDS = 30;
const PLACES_PRIME = 7_919;

/** The product of a place, always the same one. */
export function productAt(place: number): Product {
  const random = randomNumbers(place + 1);
  const words = (count: number) => Array.from({ length: count }, () => wordAt(Math.floor(VOCABULARY * random() ** 3)));
  return {
    ...{ _id: `p${place}`, title: words(TITLE_WORDS).join(' '), description: `${words(DESCRIPTION_WORDS).join(' ')}.` },
    ...{ brand: `Brand ${place % BRANDS}`, category: `Category ${(place * 5) % CATEGORIES}` },
    ...{ price: Math.round(random() * 50_000) / 100, stock: Math.floor(random() * 500) },
  };
}

/** Two neighbouring words of the titles of products that lie far apart. */
export function queriesOf(count: number, products: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const { title } = productAt((at * PLACES_PRIME) % products);
    return title.split(' ').slice(1, 3).join(' ');
  });
}

/** A file of the first products as a shop exports them. */
export function csvOf(rows: number): string {
  const products = Array.from({ length: rows }, (_, place) => Object.values(productAt(place)).join(','));
  return `id,title,description,brand,category,price,stock\n${products.join('\n')}\n`;
}

/** A word of syllables, another one for every place. */
function wordAt(place: number): string {
  let [word, rest] = ['', place + CONSONANTS.length * VOWELS.length];
  while (rest > 0) {
    const vowels = Math.floor(rest / CONSONANTS.length);
    word += `${CONSONANTS[rest % CONSONANTS.length]}${VOWELS[vowels % VOWELS.length]}`;
    rest = Math.floor(vowels / VOWELS.length);
  }
  return word;
}
