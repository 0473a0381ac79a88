import { fill } from '../server/fill.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { documentOf } from './keystrokes.ts';
import { type Titles, wordsOf } from './titles.ts';

const INDEX = 'titles';
export const SEARCH = `/indexes/${INDEX}/search`;
const WITHOUT_MODEL = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 1 } };

/** Makes the index of all titles. */
export async function fillTitles(server: ServerProcess, titles: Titles, say: (line: string) => void): Promise<void> {
  say(`adding ${titles.count} titles`);
  const started = performance.now();
  await fill(server, INDEX, WITHOUT_MODEL, {
    count: titles.count,
    document: (at) => documentOf(at, wordsOf(titles, at).join(' ')),
    rest: '"tensorFields":[],"mappings":{"place":{"type":"geo_point"}}',
  });
  say(`added in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** Tells whether one of the hits is a title with all of these words. */
export function holdsTitleWith(answer: string, words: readonly string[]): boolean {
  const { hits } = JSON.parse(answer) as { hits: { title: string }[] };
  return hits.some(({ title }) => words.every((word) => title.split(' ').includes(word)));
}
