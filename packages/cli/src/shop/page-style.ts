/** The looks of the page of the sample shop, in light and dark, from a phone to a desk. */
export const STYLE = `
:root {
  --ground: #fbfaf8; --paper: #fff; --ink: #1c2430; --quiet: #5d6775; --line: #e3e0da;
  --accent: #1f5f6b; --on-accent: #fff; --mark: #a6501f; --shade: #0002;
}
.sold .picture img { filter: grayscale(.8) }
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12171d; --paper: #1a2129; --ink: #e8ebee; --quiet: #9fabb8; --line: #2d3742;
    --accent: #6fc1cf; --on-accent: #0d1a1e; --mark: #f0a36f; --shade: #0008;
  }
  .picture img, #departments img, .lines img { filter: brightness(.88) }
  .sold .picture img { filter: grayscale(.8) brightness(.88) }
}
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
h1, h2, h3, p, ul, fieldset { margin: 0; padding: 0 }
ul { list-style: none }
fieldset { border: 0 }
button, input, select { font: inherit; color: inherit }
button, label, summary, select { cursor: pointer }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.unseen, .skip:not(:focus) {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.quiet, .reviews, .brand, .count, #found { color: var(--quiet); font-size: .875rem }

header {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.5rem;
  padding: .75rem max(1rem, 50vw - 40rem); background: var(--paper); border-bottom: 1px solid var(--line);
}
h1 { font-size: 1.125rem }
h1 a { display: flex; align-items: center; gap: .6rem; color: inherit; text-decoration: none }
#search { flex: 1 1 20rem }
#q {
  width: 100%; padding: .7rem 1.1rem; border: 1.5px solid var(--line); border-radius: 2rem; background: var(--ground);
}
#q:focus { border-color: var(--accent); outline: 2px solid var(--accent) }
.plain { padding: .45rem .8rem; border: 1px solid var(--line); border-radius: .6rem; background: none }
.plain:hover { border-color: var(--accent) }
.badge {
  display: inline-block; min-width: 1.5rem; padding: 0 .35rem; border-radius: 1rem;
  background: var(--accent); color: var(--on-accent); font-size: .8125rem; text-align: center;
}
.buy {
  padding: .45rem 1rem; border: 0; border-radius: .6rem; background: var(--accent); color: var(--on-accent);
  font-weight: 600;
}
.buy:hover { filter: brightness(1.1) }
.buy:disabled { background: var(--line); color: var(--quiet); cursor: default; filter: none }
.wide { width: 100%; padding: .7rem }

.ideas, #departments, main, footer { padding-inline: max(1rem, 50vw - 40rem) }
.ideas { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; padding-block: 1rem 0 }
.nothing .ideas { padding: 0; justify-content: center }
@media (max-width: 40rem) {
  h1 { flex: 1 }
  #search { order: 1; flex-basis: 100% }
  #ideas { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; white-space: nowrap }
  .card .buy { padding-inline: .7rem }
}
.idea {
  padding: .25rem .8rem; border: 1px solid var(--line); border-radius: 2rem; background: var(--paper); font-size: .875rem;
}
.idea:hover { border-color: var(--accent); color: var(--accent) }
#departments { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.25rem, 1fr)); gap: .6rem; padding-block: 1rem 0 }
#departments:empty { display: none }
@media (min-width: 70rem) { #departments { grid-template-columns: repeat(10, 1fr) } }
#departments button {
  display: grid; justify-items: center; gap: .25rem; width: 100%; height: 100%; padding: .7rem .3rem;
  border: 1px solid var(--line); border-radius: .8rem; background: var(--paper); font-size: .875rem;
}
#departments button:hover { border-color: var(--accent) }

main { display: grid; gap: 1.5rem; padding-block: 1.25rem 3rem }
@media (min-width: 56rem) {
  main { grid-template-columns: 14rem 1fr; gap: 2.5rem }
  #filters summary { pointer-events: none; list-style: none }
  #filters summary::-webkit-details-marker { display: none }
}
summary { margin-bottom: .75rem; font-weight: 700 }
legend { padding: .75rem 0 .35rem; font-weight: 600 }
#filters label { display: flex; gap: .55rem; align-items: baseline; padding: .16rem 0; font-size: .9375rem }
#filters .count { margin-left: auto }
#filters input { accent-color: var(--accent) }
.bar { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; margin-bottom: 1rem }
h2 { font-size: 1.375rem; line-height: 1.25; overflow-wrap: anywhere }
#sort { margin-left: auto; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--paper) }
#redirect { margin-bottom: 1rem }
a { color: var(--accent) }

.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 42vw), 1fr)); gap: 1rem; transition: opacity .15s }
.grid[aria-busy] { opacity: .6 }
.grid:focus { outline: none }
.small { grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)) }
.card {
  position: relative; display: flex; flex-direction: column; gap: .3rem; padding: 0 .9rem .9rem;
  border: 1px solid var(--line); border-radius: 1rem; background: var(--paper); overflow: hidden;
  transition: box-shadow .15s, transform .15s;
}
.card:hover { box-shadow: 0 .5rem 1.5rem var(--shade); transform: translateY(-2px) }
.card .picture { margin: 0 -.9rem .4rem; position: relative }
.picture img { display: block; width: 100%; height: auto; aspect-ratio: 4 / 3; object-fit: cover }
.tag { position: absolute; top: .6rem; left: .6rem; padding: .1rem .6rem; border-radius: 1rem; background: var(--ink); color: var(--paper); font-size: .75rem }
.card h3 { font-size: .9375rem; line-height: 1.3 }
.title { padding: 0; border: 0; background: none; font-weight: 600; text-align: start }
.title::after { content: ""; position: absolute; inset: 0 }
.title:focus-visible { outline: none }
.title:focus-visible::after { outline: 3px solid var(--accent); outline-offset: -3px; border-radius: 1rem }
.stars { color: var(--mark); font-size: .875rem; letter-spacing: .05em }
.reviews { letter-spacing: 0; margin-left: .3rem }
.foot { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .4rem; margin-top: auto; padding-top: .3rem }
.price { font-size: 1.0625rem; font-weight: 700; font-variant-numeric: tabular-nums }
.card .buy { position: relative }
.waiting { min-height: 17rem; background: linear-gradient(100deg, var(--paper) 40%, var(--line) 50%, var(--paper) 60%) 0 0 / 300% 100%; animation: wait 1.4s infinite linear }
@keyframes wait { from { background-position: 100% 0 } to { background-position: -50% 0 } }
.nothing { grid-column: 1 / -1; display: grid; justify-items: center; gap: .75rem; padding: 4rem 1rem; text-align: center }
.more { display: block; margin: 1.5rem auto 0; padding: .6rem 2rem }

dialog { width: min(52rem, 100vw - 2rem); max-height: 90vh; padding: 1.5rem; border: 0; border-radius: 1.25rem; background: var(--paper); color: inherit }
dialog::backdrop { background: #0009 }
#basket-body { clear: both }
#basket { width: min(34rem, 100vw - 2rem) }
.close { float: right; border: 0; position: relative; z-index: 1 }
.whole { display: grid; gap: 1.5rem; margin-bottom: 1.5rem; clear: both }
.whole .picture img { border-radius: 1rem }
.about { display: flex; flex-direction: column; gap: .5rem }
dialog h3 { margin-bottom: .75rem }
.stock { font-weight: 600 }
@media (min-width: 44rem) { .whole { grid-template-columns: 1fr 1fr } }
.lines li { display: flex; flex-wrap: wrap; align-items: center; gap: .8rem; padding: .6rem 0; border-bottom: 1px solid var(--line) }
.lines img { flex: none; width: 4rem; height: 3rem; border-radius: .4rem }
.line { flex: 1 1 9rem; min-width: 0; overflow-wrap: anywhere }
.amount { display: flex; align-items: center; gap: .5rem }
.amount .plain { padding: .1rem .6rem }
.total { padding: 1rem 0; text-align: end; font-size: 1.125rem }
.thanks { padding: 2rem 0; text-align: center; font-size: 1.125rem }
#basket .quiet { padding-top: .75rem }

footer { padding-block: 1.5rem 6rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .875rem }
footer .plain { border: 0; padding: 0; text-decoration: underline }
#consent {
  position: fixed; inset: auto 0 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.5rem;
  padding: 1rem max(1rem, 50vw - 40rem); background: var(--paper); border-top: 1px solid var(--line);
  box-shadow: 0 -.5rem 1.5rem var(--shade);
}
#consent p { flex: 1 1 20rem; font-size: .9375rem }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important } }
`;
