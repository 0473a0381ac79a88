import { useEffect, useRef, useState } from 'preact/hooks';
import { filterTerm, withTerm } from '../../documents/fields.js';
import { filterFaultOf } from '../../documents/filter-fault.js';
import { FilterInput } from '../../documents/filter-input.js';
import { IndexChoice, useIndexNames } from '../../documents/index-choice.js';
import { useFirstIndex, useRemembered } from '../../documents/last-index.js';
import type { PageProps } from '../../pages.js';
import { Button, CopyButton } from '../../parts/button.js';
import { Empty } from '../../parts/empty.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { PageHead } from '../../parts/page-head.js';
import { address, go, push, replace, route } from '../../router.js';
import { session } from '../../server/session.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { countedOf, hasFoundNothing } from './counts.js';
import { FacetList } from './facet-list.js';
import { MethodColumn } from './method-column.js';
import { OrderChoice } from './order-choice.js';
import { methodOf, parametersOf, queryOf } from './query-address.js';
import { facetsOf, isBrowsing, METHODS, type Method, methodsFor, type Query } from './request.js';
import { SearchOptions } from './search-options.js';
import { useSearchedIndex } from './searched-index.js';
import { useSearches } from './searches.js';
import './search.css';

/** One query by the three methods, side by side. */
export default function SearchPage({ segments }: PageProps) {
  const [name] = segments;
  useRemembered(name);
  return (
    <>
      <PageHead title={t.search.title} />
      {name === undefined ? <NoIndex /> : <SearchOf key={name} name={name} />}
    </>
  );
}

/** Chooses an index, among those that are there each time that this is asked. */
function NoIndex() {
  const names = useIndexNames();
  useFirstIndex('search', names.data);
  return (
    <div class="panel">
      <Empty title={t.search.startTitle}>
        {names.failure !== undefined ? (
          <FailureNotice failure={names.failure} retry={names.reload} />
        ) : names.data?.length === 0 ? (
          <p>
            {session.value.key === '' ? t.indexes.emptyTitle : t.indexes.emptyForKey}.{' '}
            <a href={address(['indexes'])}>{t.indexes.create}</a>
          </p>
        ) : (
          <IndexChoice chosen={undefined} onChoose={(chosen) => go(['search', chosen])} />
        )}
      </Empty>
    </div>
  );
}

function SearchOf({ name }: { name: string }) {
  const place = useStore(route);
  const [query, setQuery] = useState<Query>(() => queryOf(place.parameters));
  const [asked, setAsked] = useState<Query>(query);
  const [shown, setShown] = useState<Method | undefined>(() => methodOf(place.parameters));
  const followed = useRef(place);
  const box = useRef<HTMLInputElement>(null);
  const { known, settings, hasVectors, isKnown } = useSearchedIndex(name);
  const results = useSearches(name, isKnown ? asked : undefined, facetsOf(known), hasVectors);
  const show = (next: Query) => {
    setQuery(next);
    setAsked({ ...next });
  };
  // A link, or the browser's way back, leads to another search of the index.
  useEffect(() => {
    if (followed.current === place || place.segments[0] !== 'search' || place.segments[1] !== name) return;
    followed.current = place;
    show(queryOf(place.parameters));
    setShown(methodOf(place.parameters));
  }, [place]);
  const ask = (next: Query) => {
    const parameters = parametersOf(next, shown);
    // The way back leads from query to query: an option or a filter is no step of its own.
    const write = next.q.trim() === asked.q.trim() ? replace : push;
    show(next);
    write(['search', name], parameters);
  };
  const choose = (method: Method | undefined) => {
    setShown(method);
    replace(['search', name], parametersOf(asked, method));
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const change = (changes: Partial<Query>) => setQuery({ ...query, ...changes });
  const byClick = (field: string, value: string) =>
    ask({ ...query, filter: withTerm(query.filter, filterTerm(field, value)) });
  const asking = methodsFor(asked, hasVectors);
  const methods = asking.filter((method) => shown === undefined || shown === method || asking.length === 1);
  const counted = countedOf(methods, results);
  const hasNoWords = asking.length > 1 && hasFoundNothing(results.LEXICAL);
  const meant = asked.corrects ? METHODS.map((method) => results[method].answer?.didYouMean).find(Boolean) : undefined;
  const common = asking.map((method) => results[method].failure);
  // Until all have ended nobody knows whether a fault is that of one method alone.
  const isSettled = METHODS.every((method) => !results[method].isLoading);
  // A fault of all is of the query, or of the server, and told once.
  const shared = isSettled && common.every((failure) => failure !== undefined) ? common[0] : undefined;
  const filterFault = query.filter === asked.filter ? filterFaultOf(shared, known) : undefined;
  return (
    <>
      <form
        class="panel search-form"
        onSubmit={(event) => {
          event.preventDefault();
          ask(query);
        }}
      >
        <IndexChoice chosen={name} onChoose={(chosen) => go(['search', chosen])} />
        <Field label={t.search.query} hint={t.search.queryHint}>
          {(control) => (
            <input
              {...control}
              ref={box}
              type="search"
              autocomplete="off"
              value={query.q}
              onInput={({ currentTarget }) => change({ q: currentTarget.value })}
            />
          )}
        </Field>
        <Button tone="primary" type="submit">
          {t.search.do}
        </Button>
        <FilterInput
          filter={query.filter}
          fields={known}
          onInput={(filter) => change({ filter })}
          error={filterFault}
        />
        <SearchOptions query={query} settings={settings} onChange={change} onAsk={ask} />
      </form>
      {meant !== undefined && (
        <p role="status">
          {t.search.meant} <a href={address(['search', name], parametersOf({ ...asked, q: meant }, shown))}>{meant}</a>
        </p>
      )}
      {!isBrowsing(asked) && (
        <p class="row">
          <a href={address(['indexes', name, 'rules'], { q: asked.q.trim() })}>{t.curation.arrange}</a>
          <CopyButton
            label={t.search.copyLink}
            text={new URL(address(['search', name], parametersOf(asked, shown)), location.href).href}
          />
        </p>
      )}
      {isKnown && !hasVectors && !isBrowsing(asked) && <p class="muted">{t.search.wordsAlone}</p>}
      <div class="search-order">
        {asking.length > 1 && (
          <fieldset class="segments">
            <legend class="unseen">{t.search.shownMethods}</legend>
            {[undefined, ...METHODS].map((one) => (
              <label key={one}>
                <input type="radio" name="shown" checked={shown === one} onChange={() => choose(one)} />
                <span>{one === undefined ? t.search.all : t.search.methods[one].name}</span>
              </label>
            ))}
          </fieldset>
        )}
        {settings?.type === 'unstructured' && (
          <OrderChoice
            fields={known}
            sort={asked.sort}
            isRanked={!isBrowsing(asked)}
            onChoose={(sort) => ask({ ...query, sort })}
          />
        )}
      </div>
      {filterFaultOf(shared, known) !== undefined ? null : shared !== undefined ? (
        <FailureNotice failure={shared} retry={() => ask(query)} />
      ) : (
        <div class="search-results">
          <FacetList {...counted} query={asked} onChoose={byClick} />
          <div class={`columns columns-${methods.length}`}>
            {methods.map((method) => (
              <MethodColumn
                key={method}
                index={name}
                method={method}
                result={isSettled ? results[method] : { ...results[method], failure: undefined }}
                query={asked}
                hasNoWords={hasNoWords}
                onChoose={byClick}
                onAsk={(changes) => ask({ ...asked, ...changes })}
              />
            ))}
          </div>
        </div>
      )}
    </>
  );
}
