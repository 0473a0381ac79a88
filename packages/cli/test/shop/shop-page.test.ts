import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MARKUP } from '../../src/shop/page-markup.js';
import { answersOf, pageOf } from '../../src/shop/shop-page.js';

const ADDRESS = 'http://127.0.0.1:8882';
const shop = { address: ADDRESS, name: 'shop', indexId: 'id</script>', trackingKey: 'svc_t_key' };
const page = pageOf(shop);
const scripts = new Map([
  ['/tracker.js', 'tracker'],
  ['/page/page.js', 'page'],
]);

let server: Server;
let at: string;
beforeAll(async () => {
  server = createServer(answersOf(page, scripts, ADDRESS)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test.each(['/', '/?', '/?q=tent&utm_source=mail', '/?q=/elsewhere'])('the page is there at %s', async (target) => {
  const answer = await fetch(at + target);
  expect([answer.status, await answer.text()]).toEqual([200, page]);
});

test('the page holds the facts of its shop as data that ends no script', () => {
  const [, facts = ''] = /<script type="application\/json" id="shop">(.*?)<\/script>/s.exec(page) ?? [];
  expect(JSON.parse(facts)).toEqual(shop);
});

test('its scripts are there, with a query too, and nothing else is', async () => {
  for (const [path, script] of scripts) {
    for (const target of [path, `${path}?v=2`]) expect(await (await fetch(at + target)).text()).toBe(script);
  }
  const elsewhere = ['/elsewhere', '/elsewhere?q=/', '//', '/tracker.js/', '/page/', '/page/../page.ts', '/pictures/'];
  for (const target of [
    ...elsewhere,
    '/pictures/product-9999.svg',
    '/departments/%.svg',
    '/departments/__proto__.svg',
  ]) {
    expect((await fetch(at + target)).status, target).toBe(404);
  }
});

test('all that the page loads is served beside it', async () => {
  const loaded = [...MARKUP.matchAll(/ (?:src|href)="([^"#]+)"/g)].map(([, path]) => path as string);
  expect(loaded).toEqual(expect.arrayContaining(['/tracker.js', '/page/page.js', '/page.css', '/icon.svg']));
  for (const path of loaded) expect((await fetch(at + path)).status, path).toBe(200);
});

test('its policy lets load what is served beside it, and lets call the server alone', async () => {
  const policy = (await fetch(at)).headers.get('content-security-policy')?.split('; ');
  expect(policy).toEqual([
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", `connect-src ${ADDRESS}`],
    ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
  ]);
  // Styles and scripts of its own text would not run.
  expect(page).not.toMatch(/ (style|on[a-z]+)=|<style/);
  expect(page.match(/<script(?! src=| type="module" src=| type="application\/json")/g)).toBeNull();
});

test('pictures and departments are drawings with the type of one', async () => {
  for (const path of ['/pictures/product-0001.svg', '/departments/Toys%20and%20games.svg']) {
    const answer = await fetch(at + path);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(await answer.text()).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox=/);
  }
});
