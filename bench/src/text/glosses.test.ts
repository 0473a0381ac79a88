import { expect, it } from 'vitest';
import { glossesOf } from './glosses.ts';

it('takes what follows the bar of each entry, and not the licence', () => {
  const file = [
    '  1 This software and database is being provided | as is',
    '00001740 03 n 01 entity 0 000 | that which is perceived; "an entity | or not"  ',
    '',
  ].join('\n');
  expect(glossesOf(file)).toEqual(['that which is perceived; "an entity | or not"']);
});
