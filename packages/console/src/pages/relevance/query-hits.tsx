import { useEffect, useRef, useState } from 'preact/hooks';
import { lineOf } from '../../documents/title.js';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { RELEVANT } from '../../relevance/figures.js';
import { t } from '../../strings/strings.js';
import { type ComparisonRun, type FoundIds, SIDES, type Side } from './comparison-run.js';
import { JudgedHit } from './judged-hit.js';
import { graded, type JudgedQuery } from './judged-queries.js';
import { type Move, moveOf } from './moves.js';
import type { SetEditor } from './set-editor.js';
import { useDocuments } from './use-documents.js';

/** Hits of each side that are shown at first, and relevant documents that neither found. */
const SHOWN = 10;
const MISSED_MAX = 50;

interface QueryHitsProps {
  readonly editor: SetEditor;
  readonly run: ComparisonRun;
  readonly query: JudgedQuery;
  readonly found: FoundIds;
}

/** The hits of one query by both ways, side by side. */
export function QueryHits({ editor, run, query, found }: QueryHitsProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const missed =
    'message' in found
      ? []
      : [...query.grades].flatMap(([id, grade]) =>
          grade >= RELEVANT && found.every((ids) => !ids.includes(id)) ? [id] : [],
        );
  const longest = 'message' in found ? 0 : Math.max(...found.map(({ length }) => length));
  return (
    <section class="stack" aria-label={t.relevance.hitsOf(query.q)}>
      <h2 ref={heading} tabIndex={-1} class="query-title">
        {t.relevance.hitsOf(query.q)}
      </h2>
      {'message' in found ? (
        <FailureNotice failure={found} />
      ) : (
        <>
          <p class="field-hint">{t.relevance.keys}</p>
          <div class="sides">
            {SIDES.map((side) => (
              <SideHits
                key={side}
                {...{ editor, run, query, side }}
                ids={isWhole ? found[side] : found[side].slice(0, SHOWN)}
                other={found[side === 0 ? 1 : 0]}
              />
            ))}
          </div>
          {!isWhole && longest > SHOWN && (
            <p>
              <Button size="small" onClick={() => setWhole(true)}>
                {t.relevance.showAllHits(longest)}
              </Button>
            </p>
          )}
          {missed.length > 0 && <Missed index={run.sides[1].index} ids={missed.slice(0, MISSED_MAX)} />}
        </>
      )}
    </section>
  );
}

/** Relevant documents that neither way found, by their titles where the index of the second one has them. */
function Missed({ index, ids }: { index: string; ids: readonly string[] }) {
  const { data } = useDocuments(index, ids);
  return (
    <div class="muted">
      <p>{t.relevance.missed}</p>
      <ul class="missed">
        {ids.map((id) => {
          const document = data?.get(id);
          return (
            <li key={id}>
              {document && lineOf(document).title} <code>{id}</code>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface SideHitsProps {
  readonly editor: SetEditor;
  readonly run: ComparisonRun;
  readonly query: JudgedQuery;
  readonly side: Side;
  readonly ids: readonly string[];
  readonly other: readonly string[];
}

function SideHits({ editor, run, query: { q, grades }, side, ids, other }: SideHitsProps) {
  const { index } = run.sides[side];
  const { data, failure, reload } = useDocuments(index, ids);
  const title = t.relevance.wayOf(t.relevance.sides[side]);
  const give = (id: string) => (grade: number | undefined) => {
    editor.change(graded(editor.state.value.queries, q, id, grade));
    announce(grade === undefined ? t.relevance.gradeTaken(id) : t.relevance.gradeGiven(id, grade));
  };
  return (
    <section class="panel" aria-label={title}>
      <header class="panel-head side-head">
        <span class={`side-mark side-${side}`} aria-hidden="true">
          {t.relevance.sides[side]}
        </span>
        <h3>{title}</h3>
      </header>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      {data === undefined && failure === undefined && <Skeleton lines={4} />}
      {ids.length === 0 && <p class="panel-body muted">{t.relevance.noHits}</p>}
      {(data !== undefined || failure !== undefined) && (
        <ol class="judged-list">
          {ids.map((id, place) => (
            <JudgedHit
              key={id}
              id={id}
              document={data?.get(id)}
              place={place + 1}
              grade={grades.get(id)}
              onGrade={give(id)}
            >
              <MoveMark id={id} place={place + 1} side={side} other={other} />
            </JudgedHit>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The place of a hit on the other side: on the second one, the way from there. */
function MoveMark({ id, place, side, other }: { id: string; place: number; side: Side; other: readonly string[] }) {
  const move = moveOf(id, place, other);
  const name = t.relevance.sides[side === 0 ? 1 : 0];
  return <span class={`badge move-${side === 0 ? 'at' : move.kind}`}>{toldMove(move, side, name)}</span>;
}

function toldMove(move: Move, side: Side, name: string): string {
  const { moves } = t.relevance;
  if (move.kind === 'new' || move.kind === 'same') return moves[move.kind](name);
  const { kind, by, from } = move;
  return side === 0 ? moves.at(name, from) : moves[kind](name, by, from);
}
