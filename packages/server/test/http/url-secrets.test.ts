import { expect, test } from 'vitest';
import { withoutUrlSecrets, withoutUrlSecretsIn } from '../../src/http/url-secrets.js';

const key = `svc_a_${'0123456'.repeat(7)}`;

test.each([
  ['https://host/m.zip', 'https://host/m.zip'],
  ['https://host:8443/@scope/m.zip', 'https://host:8443/@scope/m.zip'],
  ['https://user:SECRET@host/m.zip', 'https://host/m.zip'],
  ['https://SECRET@host', 'https://host/'],
  ['https://user:SE/CRET@host/m.zip', 'https://host/m.zip'],
  ['https://user:SE?CRET@host/m.zip', 'https://host/m.zip'],
  ['https://user:SEC@RET@host/m.zip', 'https://host/m.zip'],
  ['https://host/m.zip?X-Signature=SECRET', 'https://host/m.zip'],
  ['https://host?SECRET', 'https://host'],
  ['https://host/m.zip#SECRET', 'https://host/m.zip'],
  ['https://host/m.zip?to=a@b&X-Signature=SECRET', 'https://host/m.zip'],
  ['S3://user:SECRET@bucket/key?SECRET', 's3://bucket/key'],
  ["cannot read 'https://u:SECRET@host/a?SECRET', nor", "cannot read 'https://host/a', nor"],
  ['`https://host/a?SECRET`: (https://host/b?SECRET).', '`https://host/a`: (https://host/b).'],
  ['{"url":"https://u:SECRET@host/a?SECRET","n":1}', '{"url":"https://host/a","n":1}'],
  [`no index ${key} here`, 'no index svc_a_01... here'],
  [`see https://h/${key}/a?SECRET`, 'see https://h/svc_a_01.../a'],
  ['what is this? a@b.c: no URL', 'what is this? a@b.c: no URL'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutUrlSecrets(text)).toBe(shown);
});

test('texts are found at any depth, and the rest stays what it is', () => {
  const value = { url: 'https://h/a?SECRET', more: [{ at: 'https://u:SECRET@h' }, 1, null, true], name: 'a' };
  expect(withoutUrlSecretsIn(value)).toEqual({
    url: 'https://h/a',
    more: [{ at: 'https://h/' }, 1, null, true],
    name: 'a',
  });
  expect(value.url).toBe('https://h/a?SECRET');
});
