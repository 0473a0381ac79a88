import { expect, test } from 'vitest';
import { isJsonType } from '../../src/http/body-parser.js';

test.each([undefined, '', 'application/json', 'Application/JSON; charset=utf-8', 'application/vnd.api+json'])(
  '%j is JSON',
  (type) => {
    expect(isJsonType(type)).toBe(true);
  },
);

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'json', 'text/json'])(
  '%j is not',
  (type) => {
    expect(isJsonType(type)).toBe(false);
  },
);
