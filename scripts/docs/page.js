/** The search, the contents on a phone, and buttons that copy code: everything that a page does by itself. */
(() => {
  const HITS_MAX = 12;
  const root = document.body.dataset.root;
  const input = document.querySelector('#q');
  const list = document.querySelector('#found');
  let loading;

  /** The index, fetched at the first use of the box; a script, so that pages opened as files have it too. */
  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root}/assets/search-index.js`;
      script.onload = () =>
        resolve(
          window.pelorusIndex.map(([title, heading, address, text]) => ({
            ...{ title, heading, address, text },
            lower: [title, heading, text].map((part) => part.toLowerCase()),
          })),
        );
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  }

  const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

  /** Every word must stand somewhere; titles count more than headings, and these more than texts. */
  function scoreOf({ lower }, words) {
    let score = 0;
    for (const word of words) {
      const [title, heading, text] = lower.map((part) => beginning(part, word));
      if (title + heading + text === 0) return 0;
      score += 12 * title + 8 * heading + Math.min(text, 4);
    }
    return score;
  }

  /** How often words of a text begin with one; a whole word counts twice. */
  function beginning(text, word) {
    let count = 0;
    for (let at = text.indexOf(word); at >= 0 && count < 8; at = text.indexOf(word, at + 1)) {
      if (/[\p{L}\p{N}_]/u.test(text[at - 1] ?? ' ')) continue;
      count += /[\p{L}\p{N}_]/u.test(text[at + word.length] ?? ' ') ? 1 : 2;
    }
    return count;
  }

  async function search() {
    const words = wordsOf(input.value);
    const entries = await load();
    if (words.join() !== wordsOf(input.value).join()) return;
    const hits = entries
      .map((entry) => ({ entry, score: words.length === 0 ? 0 : scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, HITS_MAX);
    list.replaceChildren(...hits.map(({ entry }) => rowOf(entry, words)));
    if (hits.length === 0 && words.length > 0)
      list.append(Object.assign(document.createElement('li'), { textContent: 'Nothing was found.' }));
    show(words.length > 0);
  }

  function rowOf({ title, heading, address, text }, words) {
    const link = Object.assign(document.createElement('a'), { href: `${root}/${address}` });
    const name = Object.assign(document.createElement('b'), {
      textContent: heading === '' ? title : `${title}: ${heading}`,
    });
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
    const part = Object.assign(document.createElement('span'), { textContent: text.slice(at, at + 140) });
    link.append(name, part);
    const row = document.createElement('li');
    row.append(link);
    return row;
  }

  function show(isShown) {
    list.hidden = !isShown;
    input.setAttribute('aria-expanded', String(isShown));
  }

  input.addEventListener('focus', load);
  input.addEventListener('input', search);
  document.querySelector('.search').addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'Escape') show(false);
    else if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
    else if (event.key === 'ArrowDown') (links[at + 1] ?? links[at])?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener('click', ({ target }) => target.closest('.search') ?? show(false));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /INPUT|TEXTAREA/.test(document.activeElement?.tagName ?? '')) return;
    event.preventDefault();
    input.focus();
  });

  const menu = document.querySelector('#menu');
  menu.addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('contents-open');
    menu.setAttribute('aria-expanded', String(isOpen));
  });
  document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'center' });

  for (const block of document.querySelectorAll('pre')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    if (navigator.clipboard !== undefined) block.append(button);
  }
})();
