import { randomNumbers } from '../serving/vectors.ts';
import type { Meant } from './titles.ts';

/** A way to search for two words of a title, the last of which is being typed. */
export interface Keystroke {
  readonly name: string;
  /** The last word as far as it is typed. */
  last(meant: Meant): string;
  readonly prefix: boolean;
  readonly typos: boolean;
  readonly facets?: true;
  readonly near?: true;
  /** Lucene has a query of its own for it. */
  readonly beside?: true;
}

const allButOne = (word: string) => word.slice(0, -1);

export const KEYSTROKES: readonly Keystroke[] = [
  { name: 'words in full', last: ({ last }) => last, prefix: false, typos: false, beside: true },
  { name: 'first letter', last: ({ last }) => last.slice(0, 1), prefix: true, typos: false, beside: true },
  { name: 'three letters', last: ({ last }) => last.slice(0, 3), prefix: true, typos: false, beside: true },
  { name: 'all but one', last: ({ last }) => allButOne(last), prefix: true, typos: false, beside: true },
  { name: 'one typo', last: ({ typo }) => typo, prefix: false, typos: true, beside: true },
  { name: 'beginning with a typo', last: ({ typo }) => allButOne(typo), prefix: true, typos: true },
  { name: 'all but one, facets', last: ({ last }) => allButOne(last), prefix: true, typos: false, facets: true },
  { name: 'all but one, places', last: ({ last }) => allButOne(last), prefix: true, typos: false, near: true },
  {
    ...{ name: 'beginning with a typo, facets, places', last: ({ typo }) => allButOne(typo) },
    ...{ prefix: true, typos: true, facets: true, near: true },
  },
];

export const textOf = ({ last }: Keystroke, meant: Meant): string => `${meant.first} ${last(meant)}`;

/** Texts of `brand`, which facets count. */
const BRANDS = 100;
/** Places lie between the parallels of so many degrees, where a degree of longitude stays near one of latitude. */
const LATITUDE = 20;
/** The radius of a circle that holds a hundredth of them, in degrees and in kilometres. */
const RADIUS = Math.sqrt((2 * LATITUDE * 360) / 100 / Math.PI);
const RADIUS_KM = Math.floor(RADIUS * 111.2);

interface Place {
  readonly lat: number;
  readonly lon: number;
}

function placeOf(title: number): Place {
  const random = randomNumbers(title + 1);
  return { lat: rounded((random() * 2 - 1) * LATITUDE), lon: rounded(random() * 360 - 180) };
}

const rounded = (degrees: number) => Math.round(degrees * 1e5) / 1e5;

/** A title as a document. */
export function documentOf(title: number, text: string): string {
  return JSON.stringify({ _id: `${title}`, title: text, brand: `brand${title % BRANDS}`, place: placeOf(title) });
}

/** The body of a search; what it filters by passes the title that is meant. */
export function bodyOf(keystroke: Keystroke, meant: Meant): string {
  const { prefix, typos, facets, near } = keystroke;
  return JSON.stringify({
    ...{ q: textOf(keystroke, meant), searchMethod: 'LEXICAL', searchableAttributes: ['title'] },
    ...{ limit: 10, attributesToRetrieve: ['title'], showHighlights: false },
    ...(prefix && { prefix: 'last' }),
    ...(typos && { typoTolerance: true }),
    ...(facets && { facets: { fields: { brand: { type: 'string' } } } }),
    ...(near && { filter: circleAround(placeOf(meant.title)) }),
  });
}

/** No part of it is beyond the parallels, so that each holds as many. */
function circleAround({ lat, lon }: Place): string {
  const bound = LATITUDE - RADIUS;
  return `place WITHIN (${rounded(Math.max(-bound, Math.min(bound, lat)))}, ${lon}, ${RADIUS_KM}km)`;
}
