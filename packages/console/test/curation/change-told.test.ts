import { expect, test } from 'vitest';
import { toldChange } from '../../src/curation/change-told.js';

const title = 'The redirect of “boiler” is not saved';
const fault = 'expected an http or https URL';

test('a fault of a member is told without its place among all that is sent', () => {
  const path = 'rules.0.consequence.redirect';
  const told = { message: title, advice: '', problems: [{ field: '', message: fault }] };
  const listed = { message: `body.${path}: ${fault}`, advice: '', problems: [{ field: path, message: fault }] };
  expect(toldChange(listed, title)).toEqual(told);
  expect(toldChange({ message: `rules[12].consequence.filter: ${fault}`, advice: '', problems: [] }, title)).toEqual(
    told,
  );
});

test.each(['Somebody else changed it meanwhile', 'Note: the disk is full'])('%s stays as it is', (message) => {
  const failure = { message, advice: 'Look again', problems: [] };
  expect(toldChange(failure, title)).toBe(failure);
});
