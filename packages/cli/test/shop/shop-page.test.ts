import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answersOf, pageOf } from '../../src/shop/shop-page.js';

const ADDRESS = 'http://127.0.0.1:8882';
const page = pageOf({ address: ADDRESS, name: 'shop', indexId: 'id</script>', trackingKey: 'svc_t_key' });

let server: Server;
let at: string;
beforeAll(async () => {
  server = createServer(answersOf(page, Buffer.from('tracker'), ADDRESS)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test.each(['/', '/?', '/?q=tent&utm_source=mail', '/?q=/elsewhere'])('the page is there at %s', async (target) => {
  const answer = await fetch(at + target);
  expect([answer.status, await answer.text()]).toEqual([200, page]);
});

test('its script is there, with a query too, and nothing else is', async () => {
  for (const target of ['/tracker.js', '/tracker.js?v=2'])
    expect(await (await fetch(at + target)).text()).toBe('tracker');
  for (const target of ['/elsewhere', '/elsewhere?q=/', '//', '/tracker.js/']) {
    expect((await fetch(at + target)).status, target).toBe(404);
  }
});

test('its policy lets run and look what it was written with, and lets it call the server alone', async () => {
  const policy = (await fetch(at)).headers.get('content-security-policy')?.split('; ') ?? [];
  const hashOf = (tag: string) => {
    const [, text = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(page) ?? [];
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  expect(policy).toEqual(
    expect.arrayContaining([
      ...["default-src 'none'", `script-src 'self' ${hashOf('script')}`, `style-src ${hashOf('style')}`],
      ...[`connect-src ${ADDRESS}`, "base-uri 'none'", "frame-ancestors 'none'"],
    ]),
  );
  // Styles and scripts in an attribute, or in a second block, would not run.
  expect(page).not.toMatch(/ (style|on[a-z]+)=/);
  expect(page.match(/<script|<style/g)).toEqual(['<style', '<script', '<script']);
});
