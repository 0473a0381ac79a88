import type { types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { IndexChoice } from '../../documents/index-choice.js';
import { useMeaning } from '../../documents/use-meaning.js';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { useAction, useLoad } from '../../server/load.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { noHitsOf } from '../search/counts.js';
import { type Method, methodsFor } from '../search/request.js';
import { judgeIndex, useJudgedIndex } from './choices.js';
import { JudgedHit } from './judged-hit.js';
import { graded, type JudgedQuery, judgementCount, queryFault } from './judged-queries.js';
import type { SetEditor } from './set-editor.js';
import { useDocuments } from './use-documents.js';

const HITS = 20;
/** Judged documents beside the hits that are shown. */
const OTHERS_MAX = 100;

/** Judges the hits of one query after the other. */
export function JudgePart({ editor }: { editor: SetEditor }) {
  const { queries } = useStore(editor.state);
  const [q, setQ] = useState(queries[0]?.q);
  const [chosenMethod, setMethod] = useState<Method>('HYBRID');
  const [isLeaving, setLeaving] = useState(false);
  const index = useJudgedIndex(editor.name);
  const { hasMeaning, isKnown } = useMeaning(index);
  const methods = methodsFor({ q: q ?? '' }, hasMeaning);
  const method = methods.includes(chosenMethod) ? chosenMethod : 'LEXICAL';
  const place = queries.findIndex((query) => query.q === q);
  const query = queries[place];
  const go = (step: number) => setQ(queries[place + step]?.q ?? q);
  return (
    <>
      <AddQuery editor={editor} onAdded={setQ} />
      {query === undefined ? (
        <section class="panel">
          <Empty title={t.relevance.noQuery}>
            <p>{t.relevance.noQueryHint}</p>
          </Empty>
        </section>
      ) : (
        <>
          <section class="panel judge-bar" aria-label={t.relevance.judgeBar}>
            <Field label={t.relevance.query} hint={t.relevance.judgedOf(judgedCount(queries), queries.length)}>
              {(control) => (
                <select {...control} value={q} onChange={({ currentTarget }) => setQ(currentTarget.value)}>
                  {queries.map((one) => (
                    <option key={one.q} value={one.q}>
                      {t.relevance.queryOption(one.q, one.grades.size)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <IndexChoice chosen={index} onChoose={(name) => name !== '' && judgeIndex(editor.name, name)} />
            <Field label={t.relevance.method}>
              {(control) => (
                <select
                  {...control}
                  value={method}
                  onChange={({ currentTarget }) => setMethod(currentTarget.value as Method)}
                >
                  {methods.map((one) => (
                    <option key={one} value={one}>
                      {t.search.methods[one].name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <div class="actions">
              <Button size="small" disabled={place === 0} onClick={() => go(-1)}>
                {t.relevance.previous}
              </Button>
              <Button size="small" disabled={place === queries.length - 1} onClick={() => go(1)}>
                {t.relevance.next}
              </Button>
              <Button size="small" tone="quiet" onClick={() => setLeaving(true)}>
                {t.relevance.removeQuery}
              </Button>
            </div>
          </section>
          {!hasMeaning && <p class="muted">{t.search.wordsAlone}</p>}
          {index !== undefined && isKnown && (
            <Hits key={`${index} ${query.q}`} editor={editor} query={query} index={index} method={method} />
          )}
        </>
      )}
      {isLeaving && query !== undefined && (
        <RemoveDialog
          editor={editor}
          query={query}
          onClose={() => setLeaving(false)}
          onDone={() => setQ(queries[place + 1]?.q ?? queries[place - 1]?.q)}
        />
      )}
    </>
  );
}

const judgedCount = (queries: readonly JudgedQuery[]): number => queries.filter(({ grades }) => grades.size > 0).length;

function AddQuery({ editor, onAdded }: { editor: SetEditor; onAdded: (q: string) => void }) {
  const [q, setQ] = useState('');
  const [fault, setFault] = useState<string>();
  const add = (event: Event) => {
    event.preventDefault();
    const { queries } = editor.state.value;
    const text = q.trim();
    const found = queryFault(queries, text);
    setFault(found && t.relevance.queryFaults[found]);
    if (found !== undefined) return;
    editor.change([...queries, { q: text, grades: new Map() }]);
    onAdded(text);
    setQ('');
  };
  return (
    <form class="panel add-query" onSubmit={add}>
      <Field label={t.relevance.newQuery} error={fault}>
        {(control) => (
          <input
            {...control}
            type="text"
            autocomplete="off"
            value={q}
            onInput={({ currentTarget }) => setQ(currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit">{t.relevance.addQuery}</Button>
    </form>
  );
}

interface RemoveDialogProps {
  readonly editor: SetEditor;
  readonly query: JudgedQuery;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function RemoveDialog({ editor, query, onClose, onDone }: RemoveDialogProps) {
  const action = useAction(async () => {
    editor.change(editor.state.value.queries.filter(({ q }) => q !== query.q));
  });
  return (
    <ConfirmDialog
      title={t.relevance.removeQuery}
      label={t.relevance.removeQuery}
      action={action}
      done={t.relevance.queryRemoved}
      onClose={onClose}
      onDone={onDone}
    >
      {t.relevance.removeSure(query.q, judgementCount([query]))}
    </ConfirmDialog>
  );
}

interface HitsProps {
  readonly editor: SetEditor;
  readonly query: JudgedQuery;
  readonly index: string;
  readonly method: Method;
}

/** The hits of a query with their grades, and the documents with grades that are none of them. */
function Hits({ editor, query: { q, grades }, index, method }: HitsProps) {
  const search: types.SearchRequest = { q, searchMethod: method, limit: HITS };
  const { data, failure, reload, isLoading } = useLoad(
    (client, signal) => client.index(index).search(search, { signal }),
    [index, search],
  );
  const give = (id: string) => (grade: number | undefined) => {
    editor.change(graded(editor.state.value.queries, q, id, grade));
    announce(grade === undefined ? t.relevance.gradeTaken(id) : t.relevance.gradeGiven(id, grade));
  };
  const hits = data?.hits ?? [];
  const others = data === undefined ? [] : [...grades].filter(([id]) => hits.every(({ _id }) => _id !== id));
  const documents = useDocuments(
    index,
    others.slice(0, OTHERS_MAX).map(([id]) => id),
  );
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      {data === undefined && failure === undefined && <Skeleton lines={8} />}
      {data !== undefined && (
        <section class="panel" aria-label={t.relevance.hitsOf(q)} aria-busy={isLoading}>
          <header class="panel-head">
            <h2>{t.relevance.hitsOf(q)}</h2>
            <p class="field-hint">{t.relevance.keys}</p>
          </header>
          {hits.length === 0 ? (
            <p class="panel-body muted">{noHitsOf(method, { q, filter: '' })}</p>
          ) : (
            <ol class="judged-list">
              {hits.map((hit, place) => (
                <JudgedHit
                  key={hit._id}
                  id={hit._id}
                  document={hit}
                  place={place + 1}
                  grade={grades.get(hit._id)}
                  onGrade={give(hit._id)}
                />
              ))}
            </ol>
          )}
        </section>
      )}
      {others.length > 0 && (
        <section class="panel" aria-label={t.relevance.others}>
          <header class="panel-head">
            <h2>{t.relevance.others}</h2>
            {others.length > OTHERS_MAX && <p class="field-hint">{t.data.firstOf(OTHERS_MAX, others.length)}</p>}
          </header>
          <ul class="judged-list">
            {others.slice(0, OTHERS_MAX).map(([id, grade]) => (
              <JudgedHit key={id} id={id} document={documents.data?.get(id)} grade={grade} onGrade={give(id)} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
