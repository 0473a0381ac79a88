import { expect, test } from 'vitest';
import { sentQueries } from '../../src/pages/relevance/judged-queries.js';
import { ShopperGrades } from '../../src/pages/relevance/shopper-grades.js';

const query = (id: string, text: string) => ({ query_id: id, user_query: text });
const action = (action_name: string, query_id: string, session_id: string, id: string) => ({
  ...{ action_name, query_id, session_id },
  event_attributes: { object: { object_id: id, object_id_field: '_id' } },
});

test('a product gets the grade of the best that two sessions did with it', () => {
  const grades = new ShopperGrades();
  grades.add({
    queries: [query('1', ' Snow  boots'), query('2', 'snow boots'), query('3', 'hat')],
    events: [
      // Bought twice, and in one session twice.
      ...['s1', 's2'].map((session) => action('purchase', '1', session, 'p1')),
      ...['s1', 's1'].map((session) => action('purchase', '1', session, 'p2')),
      ...['s1', 's2'].map((session) => action('click', '1', session, 'p2')),
      action('add_to_cart', '1', 's1', 'p3'),
    ],
  });
  grades.add({
    queries: [],
    events: [
      // Another search for the same words counts with it.
      action('add_to_cart', '2', 's3', 'p3'),
      action('click', '3', 's3', 'p4'),
      action('view', '3', 's4', 'p4'),
    ],
  });
  expect(sentQueries(grades.queries())).toEqual([{ q: 'snow boots', judgements: { p1: 3, p2: 1, p3: 2 } }]);
});

test('events without a search, a product or a session say nothing', () => {
  const grades = new ShopperGrades();
  const whole = action('click', '1', 's1', 'p1');
  grades.add({
    queries: [query('1', 'hat'), query('2', ' '), { query_id: '3' }, { user_query: 'hat' }],
    events: [
      whole,
      { ...whole, query_id: 'none', session_id: 's2' },
      { ...whole, query_id: '2', session_id: 's2' },
      { ...whole, query_id: '3', session_id: 's2' },
      { ...whole, session_id: undefined },
      { action_name: 'click', query_id: '1', session_id: 's2' },
      { ...whole, session_id: 's2', event_attributes: { object: { object_id: 7 } } },
    ],
  });
  expect(grades.queries()).toEqual([]);
  grades.add({ queries: [], events: [{ ...whole, session_id: 's2' }] });
  expect(sentQueries(grades.queries())).toEqual([{ q: 'hat', judgements: { p1: 1 } }]);
});

test('the queries with the most grades become a set, as many as it may have', () => {
  const grades = new ShopperGrades();
  for (let at = 0; at < 1_001; at += 1) {
    const ids = at === 1_000 ? ['p1', 'p2'] : ['p1'];
    const events = ids.flatMap((id) => ['s1', 's2'].map((session) => action('click', `${at}`, session, id)));
    grades.add({ queries: [query(`${at}`, `query ${at}`)], events });
  }
  const queries = grades.queries();
  expect(queries).toHaveLength(1_000);
  expect(queries[0]?.q).toBe('query 1000');
});
