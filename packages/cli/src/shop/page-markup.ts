/** The page of the sample shop, less the facts of its shop, which stand in place of `{shop}` as data that no browser runs. */
export const MARKUP = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="A sample shop that is searched as one types, by words and by meaning.">
<title>The sample shop</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<a class="skip" href="#results">To the products</a>
<header>
  <h1><a id="home" href="/"><img src="/icon.svg" alt="" width="32" height="32">The sample shop</a></h1>
  <form id="search" role="search">
    <label class="unseen" for="q">Search the shop</label>
    <input id="q" name="q" type="search" autocomplete="off" spellcheck="false" enterkeyhint="search"
      placeholder="something warm for a snowy mountain">
  </form>
  <button id="basket-open" type="button" class="plain">Basket <span id="basket-count" class="badge">0</span></button>
</header>
<section class="ideas" id="ideas" aria-label="Ideas"><span class="quiet">Try</span></section>
<nav aria-label="Departments"><ul id="departments"></ul></nav>
<main>
  <details id="filters">
    <summary>Filters</summary>
    <button id="filters-none" type="button" class="plain" hidden>Remove all</button>
    <div id="filters-body"></div>
  </details>
  <section aria-labelledby="heading">
    <div class="bar">
      <h2 id="heading">Products</h2>
      <p id="found" role="status"></p>
      <label for="sort" class="unseen">Order</label>
      <select id="sort"></select>
    </div>
    <p id="redirect" hidden></p>
    <ul id="results" class="grid" tabindex="-1"></ul>
    <button id="more" type="button" class="plain more" hidden>Show more</button>
    <noscript><p>This page searches with JavaScript, which is off here.</p></noscript>
  </section>
</main>
<dialog id="product" aria-labelledby="product-title">
  <button type="button" class="close plain" aria-label="Close">✕</button>
  <div id="product-body"></div>
</dialog>
<dialog id="basket" aria-labelledby="basket-title">
  <button type="button" class="close plain" aria-label="Close">✕</button>
  <h2 id="basket-title">Basket</h2>
  <div id="basket-body"></div>
</dialog>
<footer>
  <p>All makers and products are invented, and nothing is sold.
    <button id="consent-again" type="button" class="plain">Your visit is not counted. Change this</button></p>
</footer>
<div id="consent" role="region" aria-label="Consent" hidden>
  <p>May the shop count your searches, clicks and orders, to show in front what others chose? Nothing is stored or sent
    before you agree.</p>
  <div><button type="button" class="buy" value="yes">Yes, count them</button>
    <button type="button" class="plain" value="no">No</button></div>
</div>
<p id="told" class="unseen" role="status"></p>
<script type="application/json" id="shop">{shop}</script>
<script src="/tracker.js"></script>
<script type="module" src="/page/page.js"></script>
</body>
</html>
`;
