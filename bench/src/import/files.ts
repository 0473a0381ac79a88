import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parquetWriteFile } from 'hyparquet-writer';
import { textOf } from '../growth/requests.ts';

export const FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** A product as a shop's catalogue has it, under a name of its own for the id. */
export interface Product {
  readonly sku: string;
  readonly title: string;
  readonly description: string;
  readonly brand: string;
  readonly price: number;
  readonly stock: number;
  readonly available: boolean;
}

const BRANDS = 97;
const STOCK = 500;

export function productOf(id: number): Product {
  const words = [0, 1, 2, 3, 4, 5].map((at) => textOf(id + at * 101));
  return {
    sku: `S-${id}`,
    title: textOf(id),
    description: `${words.join(', ')}. The "${words[2]}" size, in ${id % 7} colours.`,
    brand: `Brand ${id % BRANDS}`,
    price: (id % 9973) + 0.25,
    stock: id % STOCK,
    available: id % 3 > 0,
  };
}

/** Writes a file of products of each format, as others write it. */
export async function writeFiles(folder: string, count: number): Promise<Record<Format, string>> {
  const path = (format: Format) => join(folder, `products.${format}`);
  await writeLines(path('jsonl'), count, (product) => JSON.stringify(product));
  await writeCsv(path('csv'), count);
  const products = Array.from({ length: count }, (_, id) => productOf(id));
  const column = (name: keyof Product, type: 'STRING' | 'DOUBLE' | 'INT32' | 'BOOLEAN') => ({
    name,
    type,
    data: products.map((product) => product[name]),
  });
  parquetWriteFile({
    filename: path('parquet'),
    rowGroupSize: 20_000,
    columnData: [
      ...(['sku', 'title', 'description', 'brand'] as const).map((name) => column(name, 'STRING')),
      column('price', 'DOUBLE'),
      column('stock', 'INT32'),
      column('available', 'BOOLEAN'),
    ],
  });
  return { csv: path('csv'), jsonl: path('jsonl'), parquet: path('parquet') };
}

/** Writes a table of rows that have more cells than there are columns. */
export async function writeBadRows(file: string, count: number): Promise<void> {
  await writeText(file, ['sku,title,price\n'], count, (id) => `S-${id},a title of ${id},${id % 9973}.25,too much\n`);
}

function writeCsv(file: string, count: number): Promise<void> {
  const cells = (product: Product) => Object.values(product).map((value) => cellOf(String(value)));
  const names = Object.keys(productOf(0)).join(',');
  return writeText(file, [`${names}\n`], count, (id) => `${cells(productOf(id)).join(',')}\n`);
}

function cellOf(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function writeLines(file: string, count: number, spell: (product: Product) => string): Promise<void> {
  return writeText(file, [], count, (id) => `${spell(productOf(id))}\n`);
}

const LINES_AT_ONCE = 10_000;

async function writeText(file: string, start: string[], count: number, line: (id: number) => string): Promise<void> {
  function* parts(): Generator<string> {
    yield* start;
    for (let first = 0; first < count; first += LINES_AT_ONCE) {
      const length = Math.min(LINES_AT_ONCE, count - first);
      yield Array.from({ length }, (_, at) => line(first + at)).join('');
    }
  }
  await pipeline(Readable.from(parts()), createWriteStream(file));
}
