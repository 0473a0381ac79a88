import type { ComponentChildren } from 'preact';
import type { Failure } from '../server/failure.js';
import { t } from '../strings/strings.js';
import { Empty, Skeleton } from './empty.js';
import { FailureNotice } from './notice.js';
import { TableScroll } from './table-scroll.js';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  /** `text` when absent; the title of `actions` is for screen readers alone. */
  readonly kind?: 'text' | 'number' | 'actions';
  /** Class of its cells. */
  readonly class?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string | number;
}

/** Rows as a table, by its columns. */
export function DataTable<Row>({ label, rows, columns, keyOf }: DataTableProps<Row>) {
  return (
    <TableScroll label={label}>
      <thead>
        <tr>
          {columns.map(({ title, kind }) => (
            <th key={title} scope="col" class={kind === 'number' ? 'number' : undefined}>
              {kind === 'actions' ? <span class="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, kind, class: own = '', cell }) => (
              <td key={title} class={`${kind === undefined || kind === 'text' ? '' : 'number'} ${own}`.trim()}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableScroll>
  );
}

interface TablePanelProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  /** Undefined until they are there. */
  readonly rows: readonly Row[] | undefined;
  readonly failure: Failure | undefined;
  readonly reload: () => void;
  /** The part that takes the place of a table without rows. */
  readonly none: { readonly title: string; readonly hint?: ComponentChildren };
  /** Stands above the table: its title, and what can be done. */
  readonly head?: ComponentChildren;
  readonly foot?: ComponentChildren;
}

/** A panel with a table of what the server told: a failure stands above it, and lines while it is on its way. */
export function TablePanel<Row>(props: TablePanelProps<Row>) {
  const { label, rows, failure, reload, none, head, foot, columns, keyOf } = props;
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <section class="panel" aria-label={label}>
        {head !== undefined && <header class="panel-head">{head}</header>}
        {rows === undefined ? (
          failure === undefined && <Skeleton />
        ) : rows.length === 0 ? (
          <Empty title={none.title}>{none.hint !== undefined && <p>{none.hint}</p>}</Empty>
        ) : (
          <DataTable label={t.asTable(label)} rows={rows} columns={columns} keyOf={keyOf} />
        )}
        {foot}
      </section>
    </>
  );
}
