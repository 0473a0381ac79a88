import type { types } from '@pelorus/client';
import { useId, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Code } from '../../parts/code.js';
import { Dialog } from '../../parts/dialog.js';
import { Skeleton } from '../../parts/empty.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { PartsBar } from '../../parts/parts-bar.js';
import { address } from '../../router.js';
import { addressOf, session } from '../../server/session.js';
import { formatMs, t } from '../../strings/strings.js';
import { curlOf, pythonOf, typeScriptOf } from './code-of.js';
import { hitsCounted, noHitsOf, totalOf } from './counts.js';
import { HitCard } from './hit-card.js';
import { orderWords } from './order-choice.js';
import { isBrowsing, type Method, plainBody, type Query } from './request.js';
import type { Answer, MethodResult } from './searches.js';
import { timesOf } from './times.js';

interface MethodColumnProps {
  readonly index: string;
  readonly method: Method;
  readonly result: MethodResult;
  readonly query: Query;
  /** Tells that no document has the words of the query, so that others are near at best. */
  readonly hasNoWords: boolean;
  readonly onChoose: (field: string, value: string) => void;
  /** Asks again, with other options. */
  readonly onAsk: (changes: Partial<Query>) => void;
}

/** The hits of one method, with the time and the plan of its search. */
export function MethodColumn(props: MethodColumnProps) {
  const { index, method, result, query, hasNoWords, onChoose, onAsk } = props;
  const { answer, failure, isLoading } = result;
  const [isCodeOpen, setCodeOpen] = useState(false);
  const id = useId();
  const isBrowsed = isBrowsing(query);
  const { name, explanation } = isBrowsed ? browsedWords(query) : t.search.methods[method];
  const times = timesOf(answer?.telemetry);
  const best = Math.max(...(answer?.hits.map(({ _score }) => _score) ?? []), 0);
  return (
    <section class="column" aria-labelledby={id} aria-busy={isLoading}>
      <header class="column-head">
        <div class="column-title">
          <h2 id={id}>{name}</h2>
          {isBrowsed && answer !== undefined && <span class="faint">{t.operations.documents(totalOf(answer))}</span>}
          {times !== undefined && <span class="faint">{formatMs(times.whole)}</span>}
        </div>
        <div class="row">
          <p class="faint">{isBrowsed || answer === undefined ? explanation : hitsCounted(method, answer)}</p>
          <Button size="small" tone="quiet" onClick={() => setCodeOpen(true)} aria-label={t.search.codeOf(name)}>
            {t.search.code}
          </Button>
        </div>
      </header>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {answer?.warnings !== undefined && (
        <Notice tone="warn" title={t.search.warnings}>
          <ul>
            {answer.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      {answer?.rules !== undefined && answer.rules.length > 0 && (
        <p class="column-rules">
          {t.search.ruled}{' '}
          <a href={address(['indexes', index, 'rules'], { q: query.q.trim() })}>{answer.rules.join(', ')}</a>
        </p>
      )}
      {answer === undefined && failure === undefined && <Skeleton lines={8} />}
      {answer !== undefined && answer.hits.length === 0 && <NoHits {...{ index, method, query, onAsk }} />}
      {hasNoWords && method !== 'LEXICAL' && answer !== undefined && answer.hits.length > 0 && (
        <p class="column-rules">{t.search.nearestAlone}</p>
      )}
      {answer !== undefined && answer.hits.length > 0 && (
        <ol class="hits">
          {answer.hits.map((hit, place) => (
            <HitCard key={hit._id} hit={hit as types.Hit} place={place + 1} best={best} onChoose={onChoose} />
          ))}
        </ol>
      )}
      {answer !== undefined && <Plan method={method} answer={answer} query={query} />}
      {isCodeOpen && <CodeDialog index={index} method={method} query={query} onClose={() => setCodeOpen(false)} />}
    </section>
  );
}

/** The documents that are gone through, and their order. */
function browsedWords({ filter, sort }: Query): { readonly name: string; readonly explanation: string } {
  return {
    name: filter.trim() === '' ? t.search.browsed : t.search.browsedFiltered,
    explanation: sort === undefined ? t.search.browsedInNoOrder : orderWords(sort),
  };
}

/** The reason that nothing is found, and what may find something. */
function NoHits({ index, method, query, onAsk }: Pick<MethodColumnProps, 'index' | 'method' | 'query' | 'onAsk'>) {
  const isFiltered = query.filter.trim() !== '';
  const isBrowsed = isBrowsing(query);
  return (
    <div class="column-empty muted">
      {isBrowsed ? <p>{isFiltered ? t.data.nothingPasses : t.data.emptyTitle}</p> : <p>{noHitsOf(method, query)}</p>}
      <div class="actions">
        {isBrowsed && !isFiltered && (
          <a class="button button-small" href={address(['data', index, 'import'])}>
            {t.data.importTitle}
          </a>
        )}
        {isFiltered && (
          <Button size="small" onClick={() => onAsk({ filter: '' })}>
            {t.data.showAll}
          </Button>
        )}
        {method !== 'TENSOR' && !query.allowsTypos && !isBrowsed && (
          <Button size="small" onClick={() => onAsk({ allowsTypos: true })}>
            {t.search.allowTypos}
          </Button>
        )}
      </div>
    </div>
  );
}

/** The time of each stage, and how the search was done. */
function Plan({ method, answer, query }: { method: Method; answer: Answer; query: Query }) {
  const times = timesOf(answer.telemetry);
  const stages = times === undefined ? [] : (['plan', 'embed', 'search', 'rest'] as const);
  const { counter = {} } = answer.telemetry ?? {};
  const facts: readonly (readonly [string, string])[] = [
    [t.search.planLegs, isBrowsing(query) ? t.search.browsedPlan : t.search.legs[method]],
    ...(method === 'HYBRID' ? [[t.search.planFusion, t.search.fusion(query.alpha)] as const] : []),
    ...(query.filter.trim() === '' ? [] : [[t.documents.filter, query.filter.trim()] as const]),
    ...(counter['query_cache.hits'] !== undefined
      ? [[t.search.planVector, counter['query_cache.hits'] > 0 ? t.search.vectorKnown : t.search.vectorMade] as const]
      : []),
    ...(answer.rules !== undefined ? [[t.search.planRules, answer.rules.join(', ')] as const] : []),
    ...(answer.redirect !== undefined ? [[t.search.planRedirect, answer.redirect] as const] : []),
  ];
  return (
    <details class="plan">
      <summary>{t.search.plan}</summary>
      {times !== undefined && (
        <PartsBar
          caption={t.search.times}
          parts={stages.map((stage, colour) => ({
            ...{
              label: t.search.stages[stage],
              value: times[stage],
              shown: formatMs(times[stage]),
              colour: colour === 3 ? 5 : colour,
            },
          }))}
        />
      )}
      <dl class="definitions plan-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface CodeDialogProps {
  readonly index: string;
  readonly method: Method;
  readonly query: Query;
  readonly onClose: () => void;
}

function CodeDialog({ index, method, query, onClose }: CodeDialogProps) {
  const body = plainBody(method, query);
  const target = { url: addressOf(index), index, hasKey: session.value.key !== '' };
  return (
    <Dialog title={t.search.codeTitle} onClose={onClose} isWide>
      <div class="stack">
        {target.hasKey && <p>{t.search.codeKey}</p>}
        <Code label="curl" text={curlOf(body, target)} />
        <Code label="Python" text={pythonOf(body, target)} />
        <Code label="TypeScript" text={typeScriptOf(body, target)} />
      </div>
    </Dialog>
  );
}
