import { expect, test } from 'vitest';
import { isOneTypo, reasonOf } from './found-typos.ts';
import { bodyOf, documentOf, KEYSTROKES, textOf } from './keystrokes.ts';

const meant = { title: 7, first: 'stormy', last: 'kettle', typo: 'kettel' };

test('each keystroke has its part of the last word', () => {
  expect(KEYSTROKES.map((keystroke) => textOf(keystroke, meant))).toEqual([
    ...['stormy kettle', 'stormy k', 'stormy ket', 'stormy kettl', 'stormy kettel'],
    ...['stormy kette', 'stormy kettl', 'stormy kettl', 'stormy kette'],
  ]);
  const bodies = KEYSTROKES.map((keystroke) => JSON.parse(bodyOf(keystroke, meant)) as Record<string, unknown>);
  const having = (member: string) => bodies.flatMap((body, at) => (member in body ? [at] : []));
  expect(having('prefix')).toEqual([1, 2, 3, 5, 6, 7, 8]);
  expect(having('typoTolerance')).toEqual([4, 5, 8]);
  expect(having('facets')).toEqual([6, 8]);
  expect(having('filter')).toEqual([7, 8]);
});

test('the circle of a search holds the place of the title that is meant, and a hundredth of the others', () => {
  const near = KEYSTROKES.find((keystroke) => keystroke.near) as (typeof KEYSTROKES)[number];
  const places = Array.from({ length: 20_000 }, (_, title) => placeOf(title));
  for (const title of [0, 1, 2, 3, 19_999]) {
    const circle = /WITHIN \((\S+), (\S+), (\d+)km\)/.exec(bodyOf(near, { ...meant, title })) as RegExpExecArray;
    const [lat, lon, km] = circle.slice(1).map(Number) as [number, number, number];
    const holds = (place: Place) => distanceKm({ lat, lon }, place) <= km;
    expect(holds(places[title] as Place)).toBe(true);
    expect(places.filter(holds).length / places.length).toBeCloseTo(0.01, 2);
  }
});

test('a word that is not found has its reason', () => {
  const vocabulary = new Set(['kettle', 'settle', 'mettle', 'cat', 'house']);
  expect(reasonOf('ket', vocabulary, 'kett')).toBe('too short for a correction');
  expect(reasonOf('settle', vocabulary, 'kettle')).toBe('itself a word of the index');
  expect(reasonOf('mettles', vocabulary, 'settles')).toBe('as near to another word');
  expect(reasonOf('huose', vocabulary, 'house')).toBe('other');
});

test('one typo is a letter more, less or another one, or two neighbours swapped', () => {
  const near = ['kettles', 'skettle', 'ktettle', 'kettl', 'ettle', 'kttle', 'settle', 'kettla', 'ekttle', 'kettel'];
  for (const typed of near)
    expect([typed, isOneTypo('kettle', typed), isOneTypo(typed, 'kettle')]).toEqual([typed, true, true]);
  for (const typed of ['kettle', 'kettlers', 'kett', 'ekttel', 'sattla', 'tetkle', 'kettelr']) {
    expect([typed, isOneTypo('kettle', typed), isOneTypo(typed, 'kettle')]).toEqual([typed, false, false]);
  }
});

interface Place {
  lat: number;
  lon: number;
}

const placeOf = (title: number) => (JSON.parse(documentOf(title, '')) as { place: Place }).place;

/** By the haversine formula. */
function distanceKm(one: Place, other: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const a =
    half(one.lat - other.lat) + Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * half(one.lon - other.lon);
  return 2 * 6371.0088 * Math.asin(Math.sqrt(a));
}
