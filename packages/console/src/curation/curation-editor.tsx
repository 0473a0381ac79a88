import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Code } from '../parts/code.js';
import { TablePanel } from '../parts/data-table.js';
import { Field } from '../parts/field.js';
import { FailureNotice } from '../parts/notice.js';
import { t } from '../strings/strings.js';
import { NO_ARRANGEMENT } from './arrangement.js';
import { ChangeFailure } from './change-failure.js';
import { type ShownChoices, useChoices } from './choices.js';
import type { Curator, Rule, Synonyms } from './curator.js';
import { HitArranger } from './hit-arranger.js';
import { KeptDefaults } from './kept-defaults.js';
import { RedirectForm } from './redirect-form.js';
import { RuleDialog } from './rule-dialog.js';
import { ruleSentence } from './rule-sentence.js';
import { SynonymForm } from './synonym-form.js';
import { nameOf } from './synonyms.js';
import { VersionsPanel } from './versions-panel.js';
import './curation.css';

interface CurationEditorProps {
  readonly curator: Curator;
  /** The query that is looked at; undefined before one is. */
  readonly query: string | undefined;
  readonly onQuery: (query: string) => void;
}

/** The choices of people about the searches of an index: of one query, and all that there are. */
export function CurationEditor({ curator, query, onQuery }: CurationEditorProps) {
  const shown = useChoices(curator);
  const { choices, failure, reload, change, isChanging } = shown;
  const [typed, setTyped] = useState(query ?? '');
  const [edited, setEdited] = useState<Synonyms>();
  const isAsked = query !== undefined && (curator.isBrowsed || query.trim() !== '');
  const submit = (event: Event) => {
    event.preventDefault();
    if (curator.isBrowsed || typed.trim() !== '') onQuery(typed.trim());
  };
  const look = (next: string) => {
    setTyped(next);
    onQuery(next);
  };
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <form class="panel panel-body" onSubmit={submit}>
        <div class="inline-form">
          <Field label={t.curation.query} hint={curator.isBrowsed ? t.curation.browsedHint : t.curation.queryHint}>
            {(control) => (
              <input
                {...control}
                type="search"
                autocomplete="off"
                value={typed}
                onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              />
            )}
          </Field>
          <Button tone="primary" type="submit">
            {t.curation.look}
          </Button>
        </div>
      </form>
      {isAsked && (
        <>
          <HitArranger shown={shown} query={query} />
          {query.trim() !== '' && (
            <section class="panel" aria-labelledby="redirect">
              <header class="panel-head">
                <h2 id="redirect">{t.curation.redirect}</h2>
              </header>
              <div class="panel-body">
                <RedirectForm key={query} shown={shown} query={query} />
              </div>
            </section>
          )}
        </>
      )}
      <TablePanel<Synonyms>
        label={t.curation.synonyms}
        rows={choices?.synonyms}
        failure={undefined}
        reload={reload}
        none={{ title: t.curation.synonymsNone, hint: t.curation.synonymsHint }}
        keyOf={(entry) => JSON.stringify(entry)}
        head={<h2>{t.curation.synonyms}</h2>}
        foot={
          <div class="panel-body">
            <SynonymForm
              key={edited === undefined ? (query ?? '') : JSON.stringify(edited)}
              {...{ shown, edited }}
              query={query ?? ''}
              onDone={() => setEdited(undefined)}
            />
          </div>
        }
        columns={[
          { title: t.curation.asked, cell: ({ from, terms }) => from ?? terms.join(', ') },
          {
            title: t.curation.alsoAsked,
            cell: ({ from, terms }) => (from == null ? t.curation.eachOther : terms.join(', ')),
          },
          {
            title: t.operations.actions,
            kind: 'actions',
            cell: (entry) => (
              <div class="actions">
                <Button
                  size="small"
                  aria-label={t.curation.synonymsEdit(nameOf(entry))}
                  onClick={() => setEdited(entry)}
                >
                  {t.curation.ruleEdit}
                </Button>
                <Button
                  size="small"
                  aria-disabled={isChanging}
                  aria-label={t.curation.synonymsRemove(nameOf(entry))}
                  onClick={() =>
                    choices !== undefined &&
                    change(
                      { synonyms: choices.synonyms.filter((one) => one !== entry) },
                      t.curation.synonymsRemoved(nameOf(entry)),
                      'synonyms',
                    )
                  }
                >
                  {t.remove}
                </Button>
              </div>
            ),
          },
        ]}
      />
      <TablePanel
        label={t.curation.queries}
        rows={choices?.queries}
        failure={undefined}
        reload={reload}
        none={{ title: t.curation.queriesNone, hint: t.curation.queriesHint }}
        keyOf={(one) => one.query}
        head={<h2>{t.curation.queries}</h2>}
        foot={<ChangeFailure shown={shown} editor="queries" title={t.curation.failed.queries} />}
        columns={[
          {
            title: t.search.query,
            cell: (one) => (
              <Button size="small" tone="quiet" onClick={() => look(one.query)}>
                {one.query === '' ? t.curation.browsed : one.query}
              </Button>
            ),
          },
          { title: t.curation.pinnedCount, kind: 'number', cell: ({ arrangement }) => arrangement.pinned.length },
          { title: t.curation.hiddenCount, kind: 'number', cell: ({ arrangement }) => arrangement.hidden.length },
          { title: t.curation.redirect, cell: ({ arrangement }) => <code>{arrangement.redirect}</code> },
          {
            title: t.operations.actions,
            kind: 'actions',
            cell: (one) => (
              <Button
                size="small"
                aria-disabled={isChanging}
                aria-label={t.curation.clearOf(one.query)}
                onClick={() =>
                  change({ query: one.query, arrangement: NO_ARRANGEMENT }, t.curation.cleared(one.query), 'queries')
                }
              >
                {t.remove}
              </Button>
            ),
          },
        ]}
      />
      {curator.hasRules && choices !== undefined && <OtherRules shown={shown} others={choices.others} />}
      {curator.hasRules && <KeptDefaults shown={shown} />}
      {curator.versions !== undefined && <VersionsPanel shown={shown} versions={curator.versions} />}
    </>
  );
}

/** Rules that hold for more than one whole query, or for a time: each with a form of its own. */
function OtherRules({ shown, others }: { shown: ShownChoices; others: readonly Rule[] }) {
  const { change, isChanging } = shown;
  const [edited, setEdited] = useState<Rule | 'new'>();
  return (
    <section class="panel" aria-labelledby="other-rules">
      <header class="panel-head">
        <h2 id="other-rules">{t.curation.others}</h2>
        <Button size="small" onClick={() => setEdited('new')}>
          {t.curation.ruleNew}
        </Button>
      </header>
      <div class="panel-body">
        <p class="muted">{t.curation.othersHint}</p>
        <ChangeFailure shown={shown} editor="rules" title={t.curation.failed.rules} />
        {others.map((rule) => (
          <div key={rule.id} class="stack">
            <h3>{rule.id}</h3>
            <p>{ruleSentence(rule)}</p>
            <details>
              <summary>{t.rules.asJson}</summary>
              <Code label={rule.id} text={JSON.stringify(rule, null, 2)} />
            </details>
            <div class="actions">
              <Button size="small" aria-label={t.curation.ruleEditOf(rule.id)} onClick={() => setEdited(rule)}>
                {t.curation.ruleEdit}
              </Button>
              <Button
                size="small"
                aria-disabled={isChanging}
                aria-label={t.curation.ruleRemove(rule.id)}
                onClick={() => change({ without: rule.id }, t.curation.ruleRemoved(rule.id), 'rules')}
              >
                {t.remove}
              </Button>
            </div>
          </div>
        ))}
      </div>
      {edited !== undefined && (
        <RuleDialog shown={shown} rule={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </section>
  );
}
