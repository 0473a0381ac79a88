import { describe, expect, test } from 'vitest';
import { NO_ARRANGEMENT } from '../../src/curation/arrangement.js';
import type { Rule } from '../../src/curation/curator.js';
import { changedCuration, choicesOf as choicesOfRules } from '../../src/curation/index-rules.js';
import { changedSettings, choicesOf as choicesOfSettings } from '../../src/curation/shop-choices.js';

const pinned = [{ id: 'p1', position: 2 }];
const arrangement = { ...NO_ARRANGEMENT, pinned };

describe('rules of an index', () => {
  const broad: Rule = {
    id: 'boots',
    condition: { query: 'boots', match: 'contains' },
    consequence: { redirect: '/boots' },
  };
  const exact: Rule = {
    id: 'sale',
    condition: { query: 'Sale', match: 'equals', filter: null },
    consequence: { pinned: [{ _id: 'p9', position: 1 }], hidden: null, query: null },
  };

  test('those about all searches of one query are edited, others shown', () => {
    const choices = choicesOfRules({ version: 3, rules: [broad, exact], synonyms: [] });
    expect(choices.queries).toEqual([
      { query: 'Sale', arrangement: { pinned: [{ id: 'p9', position: 1 }], hidden: [], redirect: '' } },
    ]);
    expect(choices.others).toEqual([broad]);
  });

  test('one that does other things besides is edited and shown, and so is a second one about its query', () => {
    const filtered = { ...exact, consequence: { ...exact.consequence, filter: 'price:[1 TO 2]' } };
    const second = { ...exact, id: 'second' };
    const { queries, others } = choicesOfRules({ version: 3, rules: [filtered, second], synonyms: [] });
    expect(queries.map(({ query }) => query)).toEqual(['Sale']);
    expect(others).toEqual([filtered, second]);
  });

  test('one of another kind is changed where it stands, and a new one stands behind all', () => {
    const timed: Rule = { ...broad, id: 'sale days', condition: { query: 'boots', until: '2027-01-01T00:00:00Z' } };
    const before = { rules: [broad, exact], synonyms: [] };
    expect(changedCuration(before, { rule: timed, former: 'boots' }).rules).toEqual([timed, exact]);
    expect(changedCuration(before, { rule: timed, former: undefined }).rules).toEqual([broad, exact, timed]);
    // Somebody else removed it meanwhile: what was typed is kept.
    expect(changedCuration(before, { rule: timed, former: 'gone' }).rules).toEqual([broad, exact, timed]);
    expect(choicesOfRules({ version: 1, rules: [timed, exact], synonyms: [] })).toMatchObject({
      ...{ others: [timed], ids: ['sale days', 'sale'] },
    });
  });

  test('a change of anything keeps the search defaults', () => {
    const searchDefaults = { fieldWeights: { title: 2 } };
    const before = choicesOfRules({ version: 1, rules: [exact], synonyms: [], searchDefaults });
    for (const change of [
      { synonyms: [] },
      { without: 'sale' },
      { rule: broad, former: undefined },
      { query: 'boots', arrangement },
    ]) {
      expect(changedCuration(before, change)).toMatchObject({ searchDefaults });
    }
    expect(changedCuration({ rules: [], synonyms: [] }, { synonyms: [] })).toEqual({ rules: [], synonyms: [] });
  });

  test('a new one stands in front of broader ones, under an id of its own', () => {
    const next = changedCuration({ rules: [broad], synonyms: [] }, { query: 'boots', arrangement });
    expect(next.rules).toEqual([
      { id: 'boots 2', condition: { query: 'boots' }, consequence: { pinned: [{ _id: 'p1', position: 2 }] } },
      broad,
    ]);
  });

  test('a change keeps what else the rule says, and what says nothing any more goes', () => {
    const filtered = { ...exact, consequence: { ...exact.consequence, filter: 'price:[1 TO 2]' } };
    const emptied = { query: ' sale', arrangement: NO_ARRANGEMENT };
    expect(changedCuration({ rules: [filtered], synonyms: [] }, emptied).rules).toEqual([
      { ...exact, consequence: { filter: 'price:[1 TO 2]' } },
    ]);
    expect(changedCuration({ rules: [exact, broad], synonyms: [] }, emptied).rules).toEqual([broad]);
    expect(changedCuration({ rules: [exact, broad], synonyms: [] }, { without: 'boots' }).rules).toEqual([exact]);
  });
});

describe('settings of a shop', () => {
  const settings = {
    pins: [
      { query: 'boots', documentIds: ['b1', 'b2'] },
      { query: '', documentIds: ['c1'] },
    ],
    redirects: [{ query: 'Help', url: '/help' }],
  };

  test('pins and redirects of one query are told together', () => {
    const { queries } = choicesOfSettings({ version: 1, settings });
    expect(queries.map(({ query }) => query)).toEqual(['boots', '', 'Help']);
    expect(queries[0]?.arrangement.pinned).toEqual([
      { id: 'b1', position: 1 },
      { id: 'b2', position: 2 },
    ]);
    expect(queries[2]?.arrangement.redirect).toBe('/help');
  });

  test('a change replaces the entries of its query alone, at their place', () => {
    const next = changedSettings(settings, { query: 'BOOTS', arrangement: { ...arrangement, redirect: '/b' } });
    expect(next).toEqual({
      pins: [{ query: 'BOOTS', documentIds: ['p1'] }, settings.pins[1]],
      hidden: null,
      redirects: [...settings.redirects, { query: 'BOOTS', url: '/b' }],
    });
  });

  test('products that several entries hide are told together, and changed together', () => {
    const twice = {
      hidden: [
        { query: 'a', productIds: ['x'] },
        { query: 'A ', productIds: ['y'] },
      ],
    };
    const [first] = choicesOfSettings({ version: 1, settings: twice }).queries;
    expect(first?.arrangement.hidden).toEqual(['x', 'y']);
    const next = changedSettings(twice, { query: 'a', arrangement: { ...NO_ARRANGEMENT, hidden: ['y'] } });
    expect(next.hidden).toEqual([{ query: 'a', productIds: ['y'] }]);
  });

  test('lists without entries go back to their default', () => {
    const one = { redirects: settings.redirects };
    expect(changedSettings(one, { query: 'help', arrangement: NO_ARRANGEMENT })).toEqual({
      pins: null,
      hidden: null,
      redirects: null,
    });
    expect(changedSettings(one, { synonyms: [] })).toEqual({ synonyms: null });
  });
});
