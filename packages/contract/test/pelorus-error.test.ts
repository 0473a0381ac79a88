import { expect, test } from 'vitest';
import { errorCatalogue, isErrorCode, PelorusError, UnprocessableError } from '../src/index.js';

test('a fault of the caller has a null link, one of ours an empty one', () => {
  expect(new PelorusError('index_not_found', 'Index a not found').toBody()).toEqual({
    message: 'Index a not found',
    code: 'index_not_found',
    type: 'invalid_request',
    link: null,
  });
  expect(new PelorusError('internal', 'It broke').toBody()).toMatchObject({ type: 'internal', link: '' });
});

test('a body without the documented shape lists its problems beside code, type and message', () => {
  const problem = { loc: ['body', 'limit'], msg: 'value is not a valid integer', type: 'type_error.integer' };
  expect(new UnprocessableError([problem]).toBody()).toEqual({
    detail: [problem],
    message: 'body.limit: value is not a valid integer',
    code: 'unprocessable_entity',
    type: 'invalid_request',
    link: '',
  });
});

test('only codes of the catalogue are codes', () => {
  for (const code of Object.keys(errorCatalogue)) expect(isErrorCode(code)).toBe(true);
  for (const code of ['toString', '', 'nope', 500, null]) expect(isErrorCode(code)).toBe(false);
});

test('an explicit link and headers are kept', () => {
  const error = new PelorusError('too_many_requests', 'Later', {
    headers: { 'retry-after': '1' },
    link: 'x',
  });
  expect(error.headers).toEqual({ 'retry-after': '1' });
  expect(error.link).toBe('x');
});
