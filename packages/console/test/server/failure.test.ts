import { ConnectionError, InvalidRequestError, ServerError } from '@pelorus/client';
import { expect, test } from 'vitest';
import { failureOf } from '../../src/server/failure.js';

const refused = (message: string) => failureOf(new InvalidRequestError(message, { code: 'bad_request', status: 422 }));

test('a list of faults is told in its words', () => {
  const faults = [
    { loc: ['name'], msg: 'The name is too long', type: 'value_error' },
    { loc: ['model'], msg: 'There is no such model', type: 'value_error' },
  ];
  expect(refused(JSON.stringify(faults)).message).toBe('The name is too long. There is no such model');
});

test.each(['[1, 2]', '[not JSON', '{"loc": []}', '[]', '[null]'])('the message %s stays as it is', (message) => {
  expect(refused(message).message).toBe(message);
});

test('a request that is refused is not sent again as it stands, others are', () => {
  expect(refused('No').isLasting).toBe(true);
  expect(failureOf(new ServerError('No', { code: 'internal', status: 500 })).isLasting).toBe(false);
});

test('a request that reached no server says so, and none that had an answer', () => {
  expect(failureOf(new ConnectionError('No answer', { code: 'connection' })).isUnreached).toBe(true);
  expect(failureOf(new ServerError('No', { code: 'internal', status: 500 })).isUnreached).toBe(false);
});
