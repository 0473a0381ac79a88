import { expect, test, vi } from 'vitest';
import { malformedBody } from '../../src/documents/malformed.js';
import { expectLinear } from '../growth.js';

const fault = (line: number, column: number) => ({ line, column, endsEarly: false });

test('a mistake is told by line, column and character', () => {
  const [problem] = malformedBody(Buffer.from('[\n{"é": x}]'), fault(2, 8)).problems;
  expect(problem).toEqual({
    loc: ['body', 8],
    msg: 'The body is not valid JSON: line 2 column 7 (char 8)',
    type: 'value_error.jsondecode',
  });
});

test.each([
  ['behind many lines', '\n'.repeat(3_000_000), fault(2_999_999, 1), 'line 2999999 byte 1'],
  ['far into a line', `"${'a'.repeat(3_000_000)}`, fault(1, 2_000_000), 'line 1 byte 2000000'],
])('one %s is told as the engine told it: nothing is counted', (_about, text, where, told) => {
  const body = Buffer.from(text);
  const decode = vi.spyOn(Buffer.prototype, 'toString');
  const [problem] = malformedBody(body, where).problems;
  const decoded = decode.mock.calls.length;
  decode.mockRestore();
  expect(problem).toEqual({ loc: ['body'], msg: expect.stringContaining(told), type: 'value_error.jsondecode' });
  expect(decoded).toBe(0);
});

test('the cost of telling a fault does not grow with the body beyond the part that is looked at', () => {
  expectLinear(
    1_000_000,
    (length) => Buffer.from('\n'.repeat(length)),
    (body) => malformedBody(body, fault(body.length, 1)),
  );
});
