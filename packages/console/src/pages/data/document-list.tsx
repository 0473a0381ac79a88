import type { StoredDocument, types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { fieldNames, fieldsOf, filterTerm, withTerm } from '../../documents/fields.js';
import { filterFaultOf } from '../../documents/filter-fault.js';
import { FilterInput } from '../../documents/filter-input.js';
import { useKnownFields } from '../../documents/known-fields.js';
import { Picture, pictureAddress } from '../../documents/picture.js';
import { Button } from '../../parts/button.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { address } from '../../router.js';
import { useLoad } from '../../server/load.js';
import { formatNumber, t } from '../../strings/strings.js';
import { DocumentDialog } from './document-dialog.js';

type Document = StoredDocument<Record<string, unknown>>;

const PAGE = 25;
/** Columns that fit a screen; a document shows all of its fields when it is opened. */
const COLUMNS_MAX = 6;
const CELL_MAX = 90;
const CLICKED_MAX = 50;

/** A page of a scan: the cursor of the first one is undefined. */
interface Place {
  readonly cursor: string | undefined;
}

/** Documents page by page, with a filter; each opens to be read, changed or deleted. */
export function DocumentList({ index }: { index: string }) {
  const [filter, setFilter] = useState('');
  const [asked, setAsked] = useState('');
  const [places, setPlaces] = useState<readonly Place[]>([{ cursor: undefined }]);
  const [open, setOpen] = useState<{ readonly id: string | undefined }>();
  const known = useKnownFields(index);
  const stats = useLoad((client, signal) => client.index(index).stats({ signal }), [index]);
  const place = places.at(-1) ?? { cursor: undefined };
  const page = useLoad(
    (client, signal) => {
      const first = { limit: PAGE, ...(asked !== '' && { filter: asked }) };
      const body: types.ScanRequest = place.cursor === undefined ? first : { cursor: place.cursor, limit: PAGE };
      const path = `/indexes/${encodeURIComponent(index)}/documents/scan`;
      return client.call<types.ScanResponse>('POST', path, body, { signal });
    },
    [index, asked, place.cursor],
  );
  const begin = (next: string) => {
    setFilter(next);
    setAsked(next.trim());
    setPlaces([{ cursor: undefined }]);
    if (next.trim() === asked && places.length === 1) page.reload();
  };
  const refresh = () => {
    begin(filter);
    stats.reload();
    known.reload();
  };
  const documents = page.data?.documents as readonly Document[] | undefined;
  const next = page.data?.cursor;
  const fields = known.data ?? [];
  const filterFault = filterFaultOf(page.failure, fields);
  return (
    <>
      <form
        class="panel document-filter"
        onSubmit={(event) => {
          event.preventDefault();
          begin(filter);
        }}
      >
        <FilterInput
          filter={filter}
          fields={fields}
          onInput={setFilter}
          error={filter.trim() === asked ? filterFault : undefined}
        />
        <div class="actions">
          <Button tone="primary" type="submit">
            {t.data.show}
          </Button>
          {asked !== '' && <Button onClick={() => begin('')}>{t.data.showAll}</Button>}
          <Button onClick={() => setOpen({ id: undefined })}>{t.data.addDocument}</Button>
        </div>
      </form>
      {page.failure !== undefined && filterFault === undefined && (
        <FailureNotice failure={page.failure} retry={refresh} />
      )}
      <section class="panel" aria-busy={page.isLoading} aria-label={t.data.documents}>
        {documents === undefined ? (
          page.failure === undefined && <Skeleton lines={8} />
        ) : documents.length === 0 ? (
          <Empty title={asked === '' ? t.data.emptyTitle : t.data.nothingPasses}>
            {asked === '' && (
              <a class="button button-primary" href={address(['data', index, 'import'])}>
                {t.data.importTitle}
              </a>
            )}
          </Empty>
        ) : (
          <DocumentTable
            documents={documents}
            onOpen={(id) => setOpen({ id })}
            onChoose={(field, value) => begin(withTerm(filter, filterTerm(field, value)))}
          />
        )}
        {documents !== undefined && documents.length > 0 && (
          <footer class="pages">
            <span class="faint">
              {t.data.shown(
                formatNumber((places.length - 1) * PAGE + 1),
                formatNumber((places.length - 1) * PAGE + documents.length),
                asked === '' && stats.data !== undefined ? formatNumber(stats.data.numberOfDocuments) : undefined,
              )}
            </span>
            <span class="actions">
              <Button size="small" disabled={places.length === 1} onClick={() => setPlaces(places.slice(0, -1))}>
                {t.data.before}
              </Button>
              <Button
                size="small"
                disabled={typeof next !== 'string'}
                onClick={() => typeof next === 'string' && setPlaces([...places, { cursor: next }])}
              >
                {t.data.next}
              </Button>
            </span>
          </footer>
        )}
      </section>
      {open !== undefined && (
        <DocumentDialog index={index} id={open.id} onClose={() => setOpen(undefined)} onChanged={refresh} />
      )}
    </>
  );
}

interface DocumentTableProps {
  readonly documents: readonly Document[];
  readonly onOpen: (id: string) => void;
  readonly onChoose: (field: string, value: string) => void;
}

function DocumentTable({ documents, onOpen, onChoose }: DocumentTableProps) {
  const columns = fieldsOf(documents)
    .slice(0, COLUMNS_MAX)
    .map(({ name }) => name);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by the keyboard
    <section class="scroll" tabIndex={0} aria-label={t.data.tableLabel}>
      <table class="documents">
        <thead>
          <tr>
            <th scope="col">_id</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col" class="number">
              {t.data.fields}
            </th>
          </tr>
        </thead>
        <tbody>
          {documents.map((document) => (
            <tr key={document._id}>
              <td>
                <button type="button" class="open-document mono" onClick={() => onOpen(document._id)}>
                  {document._id}
                </button>
              </td>
              {columns.map((name) => (
                <td key={name}>
                  <Cell name={name} value={document[name]} onChoose={onChoose} />
                </td>
              ))}
              <td class="number">{formatNumber(fieldNames(document).length)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ name, value, onChoose }: { name: string; value: unknown } & Pick<DocumentTableProps, 'onChoose'>) {
  if (value === undefined || value === null) return <span class="faint">–</span>;
  const picture = pictureAddress(value);
  if (picture !== undefined) return <Picture address={picture} label={name} />;
  if (Array.isArray(value) && value.length > 0 && value.every(isShort)) {
    return (
      <span class="row">
        {value.slice(0, 6).map((one) => (
          <Value key={String(one)} name={name} value={one} onChoose={onChoose} />
        ))}
      </span>
    );
  }
  if (isShort(value)) return <Value name={name} value={value} onChoose={onChoose} />;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <span class="muted">{text.length > CELL_MAX ? `${text.slice(0, CELL_MAX)}…` : text}</span>;
}

const isShort = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= CLICKED_MAX);

function Value({ name, value, onChoose }: { name: string; value: unknown } & Pick<DocumentTableProps, 'onChoose'>) {
  return (
    <button
      type="button"
      class="value-button"
      title={t.documents.filterBy}
      onClick={() => onChoose(name, String(value))}
    >
      {String(value)}
    </button>
  );
}
