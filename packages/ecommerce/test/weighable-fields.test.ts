import type { HostedIndexes, IndexRequest } from '@pelorus/hosted';
import { expect, test } from 'vitest';
import { type Shop, ShopCalls } from '../src/shop.js';
import { WeighableFields } from '../src/weighable-fields.js';

const shop = (id: string) => ({ id, name: id }) as Shop;

/** The fields of shops that have a title and nothing else, and the searches that asked for one. */
function fields() {
  const asked: string[] = [];
  const call: HostedIndexes['call'] = async (name, { body }: IndexRequest) => {
    const [field = ''] = Object.keys((JSON.parse(body as string) as { fieldWeights: object }).fieldWeights);
    asked.push(`${name} ${field}`);
    const answer = field === 'title' ? {} : { code: 'invalid_field_name', message: field };
    return { status: field === 'title' ? 200 : 400, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
  };
  return { asked, weighable: new WeighableFields(new ShopCalls({ call } as HostedIndexes)) };
}

test('members that products have keep their weight, and each is asked for once', async () => {
  const { asked, weighable } = fields();
  const weights = { title: 3, brand: 2, price: 1 };
  expect(await weighable.known(shop('a'), weights)).toEqual({ title: 3 });
  expect(await weighable.known(shop('a'), { title: 5 })).toEqual({ title: 5 });
  expect(asked).toEqual(['a title', 'a brand']);
});

test('nothing is kept of indexes that are gone', async () => {
  const { asked, weighable } = fields();
  for (const id of ['a', 'b']) await weighable.known(shop(id), { title: 2 });
  weighable.keep(new Set(['b']));
  for (const id of ['a', 'b']) expect(await weighable.known(shop(id), { title: 2 })).toEqual({ title: 2 });
  expect(asked).toEqual(['a title', 'b title', 'a title']);
});
