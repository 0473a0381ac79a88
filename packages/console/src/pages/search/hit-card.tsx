import type { types } from '@pelorus/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fieldNames } from '../../documents/fields.js';
import { Picture, pictureAddress } from '../../documents/picture.js';
import { titleField } from '../../documents/title.js';
import { formatPrecise, t } from '../../strings/strings.js';
import { GroupHits } from './group-hits.js';
import { FOUND_BEGIN, FOUND_END } from './request.js';
import { type Explanation, scorePartsOf } from './score-parts.js';

interface HitCardProps {
  readonly hit: types.Hit;
  readonly place: number;
  /** The best score of the column, which is the whole width of a bar. */
  readonly best: number;
  readonly onChoose: (field: string, value: string) => void;
}

const TEXT_MAX = 220;
const CLICKED_MAX = 50;
const FACTS_MAX = 6;

/** One hit: its title and pictures, the texts that were found, the parts of its score, and its short values. */
export function HitCard({ hit, place, best, onChoose }: HitCardProps) {
  const names = fieldNames(hit);
  const named = titleField(hit);
  const title = named === undefined ? hit._id : String(hit[named]);
  const pictures = names.flatMap((name) => {
    const address = pictureAddress(hit[name]);
    return address === undefined ? [] : [[name, address] as const];
  });
  // An id that is a field too stands beside the title already.
  const short = names.filter(
    (name) => name !== named && hit[name] !== hit._id && isShort(hit[name]) && pictures.every(([one]) => one !== name),
  );
  return (
    <li class="hit">
      <header class="hit-head">
        <span class="hit-place" aria-hidden="true">
          {place}
        </span>
        <div class="hit-title">
          <h3>{titleMarked(hit, named, title)}</h3>
          <code class="faint">{hit._id}</code> {hit._pinned === true && <span class="badge">{t.curation.pinned}</span>}
        </div>
      </header>
      {pictures.slice(0, 2).map(([name, address]) => (
        <Picture key={name} address={address} label={`${name}: ${title}`} />
      ))}
      <Found hit={hit} titleField={named} />
      {/* A pinned hit has no score: a rule gives it its place. */}
      {hit._pinned !== true && <Score hit={hit} best={best} />}
      <ul class="hit-facts">
        {short.slice(0, FACTS_MAX).map((name) => (
          <li key={name}>
            <span class="hit-fact-name">{name}</span>{' '}
            {[hit[name]]
              .flat()
              .slice(0, 4)
              .map((value) => (
                <button
                  key={String(value)}
                  type="button"
                  class="value-button"
                  title={t.documents.filterBy}
                  onClick={() => onChoose(name, String(value))}
                >
                  {String(value)}
                </button>
              ))}
          </li>
        ))}
      </ul>
      <GroupHits hit={hit} />
    </li>
  );
}

/** Tells whether a value is short enough to be one that a filter names. */
function isShort(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((one) => typeof one === 'string' && one.length <= CLICKED_MAX);
  if (typeof value === 'string') return value.length <= CLICKED_MAX && value !== '';
  return typeof value === 'number' || typeof value === 'boolean';
}

/** The texts in which words were found, else the chunk that was nearest. */
function Found({ hit, titleField }: { hit: types.Hit; titleField: string | undefined }) {
  const words = Object.entries(hit._lexicalHighlights ?? {}).filter(([field]) => field !== titleField);
  if (words.length > 0) {
    return (
      <dl class="found">
        {words.slice(0, 3).map(([field, fragments]) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>{marked(fragments.join(' … '))}</dd>
          </div>
        ))}
      </dl>
    );
  }
  const [chunk] = Object.entries(hit._highlights?.[0] ?? {});
  if (chunk === undefined || typeof chunk[1] !== 'string' || pictureAddress(chunk[1]) !== undefined) return null;
  const [field, text] = chunk;
  return (
    <dl class="found">
      <div>
        <dt>{t.search.nearest(field)}</dt>
        <dd>{text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text}</dd>
      </div>
    </dl>
  );
}

/** The title with the words that were found in it, where they are told of all of it. */
function titleMarked(hit: types.Hit, field: string | undefined, title: string): ComponentChildren {
  const [found] = field === undefined ? [] : (hit._lexicalHighlights?.[field] ?? []);
  return found?.replaceAll(FOUND_BEGIN, '').replaceAll(FOUND_END, '') === title ? marked(found) : title;
}

/** A text with the words that were found marked: it stays a text, whatever is in it. */
function marked(text: string): ComponentChildren {
  return text.split(FOUND_BEGIN).map((part, place) => {
    if (place === 0) return part;
    const [found, ...rest] = part.split(FOUND_END);
    return [<mark key={place}>{found}</mark>, rest.join('')];
  });
}

function Score({ hit, best }: { hit: types.Hit; best: number }) {
  const [isOpen, setOpen] = useState(false);
  const explanation = hit._explanation;
  if (explanation === undefined) return null;
  const parts = scorePartsOf(explanation, t.search.scoreNames);
  const whole = parts.reduce((sum, { value }) => sum + Math.max(value, 0), 0);
  const share = best <= 0 ? 1 : Math.max(hit._score, 0) / best;
  const told = parts.map(({ label, value }) => `${label} ${formatPrecise(value)}`).join(', ');
  return (
    // Trees of many hits have thousands of lines, which nobody has asked for yet.
    <details class="score" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="score-bar" aria-hidden="true" style={{ width: `${Math.max(share * 100, 2)}%` }}>
          {parts.map(({ label, value, colour }) => (
            <span
              key={label}
              class={`part-${colour}`}
              style={{ flexGrow: whole === 0 ? 1 : Math.max(value, 0) / whole }}
            />
          ))}
        </span>
        <span class="score-value">
          <span class="unseen">{t.search.score} </span>
          {formatPrecise(hit._score)}
          <span class="unseen">: {told}.</span>
        </span>{' '}
        <span class="score-why">{t.search.why}</span>
      </summary>
      <ul class="score-parts">
        {parts.map(({ label, value, colour }) => (
          <li key={label}>
            <span class={`part-key part-${colour}`} aria-hidden="true" /> {label}{' '}
            <span class="number">{formatPrecise(value)}</span>
          </li>
        ))}
      </ul>
      {isOpen && (
        <ul class="tree">
          <Branch node={explanation} />
        </ul>
      )}
    </details>
  );
}

/** A value of an explanation with those that it follows from. */
function Branch({ node }: { node: Explanation }) {
  const details = node.details as unknown as readonly Explanation[];
  const what = [node.field, node.term].filter((one) => one !== undefined).join(': ');
  return (
    <li>
      <span class="tree-value">{node.value === null ? '∞' : formatPrecise(node.value)}</span> {node.description}
      {what !== '' && (
        <>
          {' '}
          <code>{what}</code>
        </>
      )}
      {details.length > 0 && (
        <ul>
          {details.map((detail, place) => (
            <Branch key={`${place} ${detail.description}`} node={detail} />
          ))}
        </ul>
      )}
    </li>
  );
}
