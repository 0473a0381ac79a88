import { expect, test } from 'vitest';
import { shownUrl } from '../../src/outbound/shown-url.js';

test.each([
  ['https://x.example/m.zip', 'https://x.example/m.zip'],
  ['https://x.example/@house/m.zip', 'https://x.example/@house/m.zip'],
  ['https://x.example:8443/m.zip?sig=SECRET', 'https://x.example:8443/m.zip'],
  ['https://x.example/m.zip#SECRET', 'https://x.example/m.zip'],
  ['https://x.example/m.zip?a=1\nSECRET', 'https://x.example/m.zip'],
  ['https://user:SECRET@x.example/m.zip', 'https://x.example/m.zip'],
  ['https://SECRET@x.example/a%20b', 'https://x.example/a%20b'],
  ['https://user:SEC?RET@x.example/m.zip', 'https://x.example/m.zip'],
  ['https://user:SEC#RET@x.example/m.zip?a', 'https://x.example/m.zip'],
  ['https://user:SEC/RET@x.example/m.zip', 'https://x.example/m.zip'],
  ['https://user:SECRET@/m.zip', 'https:///m.zip'],
  ['ftp://user:SECRET@x.example/m.zip', 'ftp://x.example/m.zip'],
  ['user:SECRET@x.example/m.zip', 'x.example/m.zip'],
  ['s3://bucket/a/model.onnx', 's3://bucket/a/model.onnx'],
  ['house/encoder', 'house/encoder'],
  ['', ''],
])('%j is shown as %j', (address, expected) => {
  expect(shownUrl(address)).toBe(expected);
});
