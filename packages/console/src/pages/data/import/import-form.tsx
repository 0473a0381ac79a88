import type { types } from '@pelorus/client';
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../../../parts/button.js';
import { Checkbox, Field } from '../../../parts/field.js';
import { Notice } from '../../../parts/notice.js';
import { formatBytes, formatNumber, t } from '../../../strings/strings.js';
import type { FileRow } from '../files/file-row.js';
import type { TableFile } from '../files/table-file.js';
import { type ColumnType, staysText } from './cell-values.js';
import {
  type Column,
  columnsOf,
  doubledIdOf,
  doubleOf,
  type ImportPlan,
  idColumnOf,
  type Leaning,
  leaningOf,
  misfitsOf,
  shownOf,
  tensorColumnsOf,
} from './columns.js';
import { fieldNamesOf, fieldOf, nameFaultsOf } from './field-names.js';
import { GroupGap } from './group-gap.js';

interface ImportFormProps {
  readonly file: TableFile;
  /** The first rows of the file. */
  readonly rows: readonly FileRow[];
  /** The choices to begin with, of an earlier import; they are guessed where there are none. */
  readonly plan: ImportPlan | undefined;
  readonly settings: types.IndexSettingsResponse;
  readonly onImport: (plan: ImportPlan) => void;
}

const TYPES: readonly ColumnType[] = ['text', 'number', 'decimalComma', 'date', 'dayFirst', 'truth', 'json'];
const FIRST_ROWS = 5;
const SHOWN_LENGTH = 80;

/** The columns of a file, and what is to become of them. */
export function ImportForm({ file, rows, plan, settings, onImport }: ImportFormProps) {
  const [columns] = useState(() => columnsOf(rows, file.isText));
  const [id, setId] = useState(() => (plan === undefined ? idColumnOf(columns) : plan.id));
  const [wantsId, setWantsId] = useState(() => plan?.keepsId ?? true);
  const [tensorColumns, setTensorColumns] = useState(() => plan?.tensorColumns ?? tensorColumnsOf(columns, id));
  const [leftOut, setLeftOut] = useState<readonly string[]>(plan?.leftOut ?? []);
  const columnNames = columns.map(({ name }) => name);
  const [names, setNames] = useState(() => plan?.names ?? fieldNamesOf(columnNames));
  // Documents are grouped by texts alone.
  const groupField = settings.collapseFields?.[0]?.name;
  const [chosenTypes, setTypes] = useState<Readonly<Record<string, ColumnType>>>(
    () =>
      plan?.types ??
      Object.fromEntries(
        columns.flatMap(({ name, type }) =>
          file.isText && type !== 'mixed' ? [[name, fieldOf(name, { names }) === groupField ? 'text' : type]] : [],
        ),
      ),
  );
  const [fillsGroup, setFillsGroup] = useState(() => plan?.filledField !== undefined);
  const isStructured = settings.type === 'structured';
  const canEmbed = !isStructured && settings.model !== 'no_model';
  const canKeepId = id !== undefined && takesField(settings, fieldOf(id, { names }));
  const keepsId = canKeepId && wantsId;
  const renamed = columnNames.filter((name) => names.has(name) && (name === id ? keepsId : !leftOut.includes(name)));
  const nameFaults = nameFaultsOf(columnNames, { id, keepsId, leftOut, names });
  const groupColumn = columns.find(
    ({ name }) => (name === id ? keepsId : !leftOut.includes(name)) && fieldOf(name, { names }) === groupField,
  );
  const groupShare = groupField === undefined ? 1 : (groupColumn?.share ?? 0);
  const faults = rows.filter(({ fault }) => fault !== undefined);
  const [firstFault] = faults;
  const double = useMemo(
    () => (id === undefined ? doubledIdOf(rows, columns) : doubleOf(rows, id)),
    [rows, columns, id],
  );
  const kept = canEmbed ? tensorColumns.filter((name) => name !== id && !leftOut.includes(name)) : [];
  const submit = (event: Event) => {
    event.preventDefault();
    const filledField = fillsGroup && id !== undefined && groupShare < 1 ? groupField : undefined;
    onImport({ id, keepsId, tensorColumns: kept, leftOut, names, filledField, types: chosenTypes });
  };
  const toggled = (names: readonly string[], name: string, isOn: boolean) =>
    isOn ? [...names, name] : names.filter((one) => one !== name);
  return (
    <form class="stack" onSubmit={submit}>
      <section class="panel" aria-labelledby="file-name">
        <header class="panel-head">
          <h2 id="file-name" class="file-name">
            {file.name}
          </h2>
          <span class="faint">
            {file.format}, {formatBytes(file.bytes)}
          </span>
        </header>
        <div class="panel-body">
          {file.encoding === 'windows-1252' && (
            <Notice tone="info" title={t.data.windows}>
              {t.data.windowsHint}
            </Notice>
          )}
          {firstFault !== undefined && (
            <Notice tone="warn" title={t.data.sampleFaults(faults.length, rows.length)}>
              {t.data.rowFault(firstFault.row, firstFault.fault ?? '')}
            </Notice>
          )}
          <Field label={t.data.idColumn} hint={id === undefined ? t.data.idNoneHint : t.data.idHint}>
            {(control) => (
              <select
                {...control}
                class="id-choice"
                value={id ?? ''}
                onChange={({ currentTarget }) => setId(currentTarget.value === '' ? undefined : currentTarget.value)}
              >
                <option value="">{t.data.idNone}</option>
                {columns.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {double !== undefined && (
            <p class="field-error" role="alert">
              {id === undefined
                ? t.data.idDouble(double.column, cut(double.value), double.rows)
                : t.data.idReplaced(cut(double.value), double.rows)}
            </p>
          )}
          {canKeepId && (
            <Checkbox
              label={t.data.keepId}
              hint={keepsId ? t.data.keptId(fieldOf(id, { names })) : t.data.lostId}
              checked={wantsId}
              onChange={({ currentTarget }) => setWantsId(currentTarget.checked)}
            />
          )}
          {id !== undefined && !canKeepId && <p class="field-hint">{t.data.lostId}</p>}
          {groupField !== undefined && groupShare < 1 && (
            <GroupGap
              field={groupField}
              share={groupShare}
              rows={rows.length - faults.length}
              hasIds={id !== undefined}
              isFilled={fillsGroup}
              onFill={setFillsGroup}
            />
          )}
          {renamed.length > 0 && <p class="field-hint">{t.data.namesChanged(renamed.length)}</p>}
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by the keyboard */}
        <section class="scroll" tabIndex={0} aria-label={t.data.columns}>
          <table class="import-columns">
            <thead>
              <tr>
                <th scope="col">{t.data.column}</th>
                <th scope="col">{t.data.type}</th>
                <th scope="col" class="number">
                  {t.data.filled}
                </th>
                <th scope="col">{t.data.examples}</th>
                <th scope="col">{t.data.use}</th>
              </tr>
            </thead>
            <tbody>
              {columns.map((column) => (
                <ColumnRow
                  key={column.name}
                  column={column}
                  rows={rows}
                  isId={column.name === id}
                  isField={column.name === id ? keepsId : !leftOut.includes(column.name)}
                  field={names.get(column.name)}
                  fieldFault={nameFaults.get(column.name)}
                  type={chosenTypes[column.name]}
                  canEmbed={canEmbed}
                  isTensor={kept.includes(column.name)}
                  isLeftOut={leftOut.includes(column.name)}
                  onField={(field) => setNames(new Map([...names, [column.name, field]]))}
                  onType={(type) => setTypes({ ...chosenTypes, [column.name]: type })}
                  onTensor={(isOn) => setTensorColumns(toggled(tensorColumns, column.name, isOn))}
                  onLeftOut={(isOn) => setLeftOut(toggled(leftOut, column.name, isOn))}
                />
              ))}
            </tbody>
          </table>
        </section>
      </section>
      <FirstRows rows={rows} columns={columns} />
      {isStructured && <p class="muted">{t.data.structured}</p>}
      {!isStructured && !canEmbed && <p class="muted">{t.data.wordsAlone}</p>}
      {canEmbed && kept.length === 0 && (
        <Notice tone="info" title={t.data.noTensor}>
          {t.data.noTensorHint}
        </Notice>
      )}
      <div class="actions">
        <Button tone="primary" type="submit" disabled={columns.length === 0 || nameFaults.size > 0}>
          {t.data.doImport}
        </Button>
      </div>
    </form>
  );
}

interface ColumnRowProps {
  readonly column: Column;
  readonly rows: readonly FileRow[];
  readonly isId: boolean;
  /** Tells whether it becomes a field; the column of ids may besides. */
  readonly isField: boolean;
  /** The name of its field; undefined where it is the column's own. */
  readonly field: string | undefined;
  /** The fault of that name, if any. */
  readonly fieldFault: string | undefined;
  /** The type that texts become; undefined where the file says the type. */
  readonly type: ColumnType | undefined;
  readonly canEmbed: boolean;
  readonly isTensor: boolean;
  readonly isLeftOut: boolean;
  readonly onField: (field: string) => void;
  readonly onType: (type: ColumnType) => void;
  readonly onTensor: (isOn: boolean) => void;
  readonly onLeftOut: (isOn: boolean) => void;
}

function ColumnRow(props: ColumnRowProps) {
  const { column, rows, isId, isField, field, type, canEmbed, isTensor, isLeftOut, onType, onTensor, onLeftOut } =
    props;
  const misfits = useMemo(() => type && misfitsOf(rows, column.name, type), [rows, column.name, type]);
  const misfitHint =
    isLeftOut || type === undefined || !misfits
      ? undefined
      : t.data.misfits(misfits.count, rows.length, cut(misfits.value), misfits.row, staysText(type));
  const isText = (type ?? column.type) === 'text';
  const isDoubtful = type === 'text' && !isLeftOut && !isId;
  const leaning = useMemo(
    () => (isDoubtful ? leaningOf(rows, column.name) : undefined),
    [rows, column.name, isDoubtful],
  );
  return (
    <tr class={isLeftOut ? 'left-out' : undefined}>
      <th scope="row" class="column-name">
        {column.name}
        {field !== undefined && isField && (
          <Field label={t.data.fieldName(column.name)} error={props.fieldFault}>
            {(control) => (
              <input
                {...control}
                spellcheck={false}
                value={field}
                onInput={({ currentTarget }) => props.onField(currentTarget.value)}
              />
            )}
          </Field>
        )}
      </th>
      <td>
        {type === undefined || isId ? (
          t.data.types[isId ? 'text' : column.type]
        ) : (
          <Field
            label={<span class="unseen">{t.data.typeOf(column.name)}</span>}
            hint={misfitHint ?? (leaning && leaningHint(leaning))}
          >
            {(control) => (
              <select
                {...control}
                value={type}
                onChange={({ currentTarget }) => onType(currentTarget.value as ColumnType)}
              >
                {TYPES.map((one) => (
                  <option key={one} value={one}>
                    {t.data.types[one]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </td>
      <td class="number" data-label={t.data.filled}>
        {formatNumber(Math.round(column.share * 100))} %
      </td>
      <td class="examples">
        {column.examples.map((example) => (
          <span key={example}>{cut(example)}</span>
        ))}
      </td>
      <td>
        {isId ? (
          isField ? (
            t.data.isIdAndField(field ?? column.name)
          ) : (
            t.data.isId
          )
        ) : (
          <div class="row">
            {canEmbed && isText && !isLeftOut && (
              <Checkbox
                label={
                  <>
                    {t.data.embed} <span class="unseen">{column.name}</span>
                  </>
                }
                checked={isTensor}
                onChange={({ currentTarget }) => onTensor(currentTarget.checked)}
              />
            )}
            <Checkbox
              label={
                <>
                  {t.data.leaveOut} <span class="unseen">{column.name}</span>
                </>
              }
              checked={isLeftOut}
              onChange={({ currentTarget }) => onLeftOut(currentTarget.checked)}
            />
          </div>
        )}
      </td>
    </tr>
  );
}

/** Tells which type most values of a text have, and what it would change to choose it. */
function leaningHint({ type, values, fits, misfit }: Leaning): string {
  return [
    t.data.leans(fits, values, type),
    ...(misfit === undefined ? [] : [t.data.leansBut(cut(misfit.value), misfit.row)]),
    t.data.leansTo(t.data.types[type], values - fits, staysText(type)),
  ].join(' ');
}

/** Tells whether documents of the index may have the field: a structured one finds words in those alone that it declares for it. */
function takesField({ type, allFields }: types.IndexSettingsResponse, field: string): boolean {
  if (field === '_id') return false;
  return (
    type !== 'structured' ||
    allFields?.some(({ name, features }) => name === field && features?.includes('lexical_search')) === true
  );
}

const cut = (text: string): string => (text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);

function FirstRows({ rows, columns }: { rows: readonly FileRow[]; columns: readonly Column[] }) {
  const shown = rows.filter(({ fields }) => fields !== undefined).slice(0, FIRST_ROWS);
  return (
    <details class="panel first-rows">
      <summary>{t.data.firstRows}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label={t.data.firstRows}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row, fields = {} }) => (
              <tr key={row}>
                {columns.map(({ name }) => (
                  <td key={name}>{name in fields ? cut(shownOf(fields[name])) : ''}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
