import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Skeleton } from '../parts/empty.js';
import { FailureNotice } from '../parts/notice.js';
import { useLoad } from '../server/load.js';
import { formatNumber, t } from '../strings/strings.js';
import { type Arrangement, movedDown, movedFirst, movedUp, type Pinned, unpinned } from './arrangement.js';
import { ChangeFailure } from './change-failure.js';
import { arrangementOf, type ShownChoices } from './choices.js';
import type { FoundHit } from './curator.js';
import { HiddenDocuments } from './hidden-documents.js';
import { OtherDocuments } from './other-documents.js';

interface HitArrangerProps {
  readonly shown: ShownChoices;
  readonly query: string;
}

/** The button that was pressed last: the focus goes back to it where the new order of the hits took it away. */
interface Pressed {
  readonly id: string;
  readonly action: string;
}

/** The hits of a query as people find them: each is moved, pinned and hidden at its place. */
export function HitArranger({ shown, query }: HitArrangerProps) {
  const { curator, choices, change } = shown;
  const found = useLoad((client, signal) => curator.find(client, query, signal), [curator.key, query]);
  const list = useRef<HTMLOListElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const pressed = useRef<Pressed>();
  const searched = useRef<number>();
  const version = choices?.version;
  // The hits before a change are shown until those after it have come.
  useEffect(() => {
    if (version === undefined) return;
    if (searched.current !== undefined && searched.current !== version) found.reload();
    searched.current = version;
  }, [version]);
  useLayoutEffect(() => {
    if (pressed.current === undefined || document.activeElement !== document.body) return;
    const { id, action } = pressed.current;
    const row = [...(list.current?.children ?? [])].find((one) => one instanceof HTMLElement && one.dataset.id === id);
    const button = row?.querySelector<HTMLElement>(`[data-action=${action}]`) ?? row?.querySelector('button');
    (button ?? heading.current)?.focus();
  });
  const arrangement = choices === undefined ? undefined : arrangementOf(choices, query);
  const arrange = (next: Partial<Arrangement>, done: string) => {
    if (arrangement !== undefined) change({ query, arrangement: { ...arrangement, ...next } }, done, 'hits');
  };
  return (
    <section class="panel" aria-labelledby="arranged-hits">
      <header class="panel-head">
        <h2 id="arranged-hits" ref={heading} tabIndex={-1}>
          {query.trim() === '' ? t.curation.browsed : t.curation.hitsOf(query)}
        </h2>
        {found.data?.total !== undefined && <span class="faint">{t.search.total(formatNumber(found.data.total))}</span>}
      </header>
      <ChangeFailure shown={shown} editor="hits" query={query} title={t.curation.failed.hits(query)} />
      {found.failure !== undefined && <FailureNotice failure={found.failure} retry={found.reload} />}
      {found.data === undefined || arrangement === undefined ? (
        found.failure === undefined && shown.failure === undefined && <Skeleton lines={6} />
      ) : found.data.hits.length === 0 ? (
        <p class="panel-body muted">{t.curation.noHits}</p>
      ) : (
        <ol
          class="arranged"
          ref={list}
          onClickCapture={({ target }) => {
            const button = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
            const { id } = button?.closest('li')?.dataset ?? {};
            if (id !== undefined) pressed.current = { id, action: button?.dataset.action ?? '' };
          }}
        >
          {found.data.hits.map((hit, at) => (
            <Hit
              key={hit.id}
              {...{ hit, arrangement, arrange }}
              place={at + 1}
              places={curator.places}
              isChanging={shown.isChanging}
            />
          ))}
        </ol>
      )}
      {arrangement !== undefined && (
        <>
          <OtherDocuments key={query} {...{ curator, arrangement, arrange }} isChanging={shown.isChanging} />
          <HiddenDocuments {...{ curator, arrangement, arrange }} isChanging={shown.isChanging} />
        </>
      )}
    </section>
  );
}

interface HitProps {
  readonly hit: FoundHit;
  readonly arrangement: Arrangement;
  readonly arrange: (next: Partial<Arrangement>, done: string) => void;
  readonly place: number;
  readonly places: 'any' | 'inRow';
  /** Tells whether a change is under way, beside which there is no other. */
  readonly isChanging: boolean;
}

function Hit({ hit, arrangement, arrange, place, places, isChanging }: HitProps) {
  const { pinned, hidden } = arrangement;
  const { id, title, details, hiddenBy } = hit;
  const isPinned = pinned.some((one) => one.id === id);
  const pin = (next: readonly Pinned[]) => arrange({ pinned: next }, t.curation.pinnedAt(title));
  return (
    <li class="arranged-hit" data-id={id}>
      <span class="hit-place" aria-hidden="true">
        {place}
      </span>
      <div class="arranged-title">
        <strong>{title}</strong> {details !== '' && details !== title && <span class="muted">{details}</span>}{' '}
        {isPinned && <span class="badge">{t.curation.pinned}</span>}
        <code class="faint">{id}</code>
      </div>
      <div class="actions">
        {place > 1 && (
          <Button
            size="small"
            aria-disabled={isChanging}
            data-action="up"
            aria-label={t.curation.upOf(title)}
            onClick={() => pin(movedUp(pinned, id, place, places))}
          >
            {t.curation.up}
          </Button>
        )}
        {(place > 1 || !isPinned) && (
          <Button
            size="small"
            aria-disabled={isChanging}
            data-action="first"
            aria-label={place > 1 ? t.curation.firstOf(title) : t.curation.keepOf(title)}
            onClick={() => pin(movedFirst(pinned, id, places))}
          >
            {place > 1 ? t.curation.first : t.curation.keep}
          </Button>
        )}
        {isPinned && (
          <>
            <Button
              size="small"
              aria-disabled={isChanging}
              data-action="down"
              aria-label={t.curation.downOf(title)}
              onClick={() => pin(movedDown(pinned, id, place, places))}
            >
              {t.curation.down}
            </Button>
            <Button
              size="small"
              aria-disabled={isChanging}
              data-action="unpin"
              aria-label={t.curation.unpinOf(title)}
              onClick={() => arrange({ pinned: unpinned(pinned, id) }, t.curation.unpinned(title))}
            >
              {t.curation.unpin}
            </Button>
          </>
        )}
        <Button
          size="small"
          tone="quiet"
          aria-disabled={isChanging}
          data-action="hide"
          aria-label={t.curation.hideOf(title)}
          onClick={() =>
            arrange({ pinned: unpinned(pinned, id), hidden: [...hidden, hiddenBy] }, t.curation.isHidden(title))
          }
        >
          {t.curation.hide}
        </Button>
      </div>
    </li>
  );
}
