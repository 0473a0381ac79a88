import type { types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { type Column, TablePanel } from '../../parts/data-table.js';
import { Field } from '../../parts/field.js';
import { useLoad } from '../../server/load.js';
import { formatMoment, t } from '../../strings/strings.js';
import { clientOf, type ProcessProps } from './process.js';

type LogLine = types.LogLines['lines'][number];

const EVERY_MS = 3_000;
const LINES = 200;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
/** The least severe level at first: a server that is well writes few such lines. */
const FIRST_LEVEL = 'info';

/** The latest lines of the log, anew every few seconds unless somebody reads them. */
export function LogPart({ index }: ProcessProps) {
  const [level, setLevel] = useState<LogLine['level']>(FIRST_LEVEL);
  const [isPaused, setPaused] = useState(false);
  const { data, failure, reload } = useLoad(
    (client, signal) => clientOf(client, index).log({ level, limit: LINES, signal }),
    [level, index],
    isPaused ? undefined : EVERY_MS,
  );
  const go = () => {
    setPaused(!isPaused);
    if (isPaused) reload();
  };
  return (
    <TablePanel
      label={t.operations.log}
      rows={data && (data.lines ?? [])}
      failure={failure}
      reload={reload}
      none={{ title: t.operations.logNone, hint: t.operations.logNoneHint(data?.logLevel ?? '') }}
      columns={COLUMNS}
      keyOf={({ number }) => number}
      head={
        <div class="log-bar">
          <Field label={t.operations.logLevel}>
            {(control) => (
              <select
                {...control}
                value={level}
                onChange={({ currentTarget }) => setLevel(currentTarget.value as LogLine['level'])}
              >
                {LEVELS.map((one) => (
                  <option key={one} value={one}>
                    {t.operations.logFrom(one)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Button size="small" onClick={go}>
            {isPaused ? t.operations.logGo : t.operations.logPause}
          </Button>
          {data !== undefined && <p class="field-hint">{t.operations.logHint(data.logLevel)}</p>}
        </div>
      }
    />
  );
}

const COLUMNS: readonly Column<LogLine>[] = [
  { title: t.operations.at, class: 'faint log-at', cell: ({ at }) => formatMoment(at) },
  {
    title: t.operations.level,
    class: 'log-level',
    cell: ({ level }) => <span class={`badge log-${level}`}>{level}</span>,
  },
  {
    title: t.operations.message,
    class: 'log-message',
    cell: ({ message, requestId, fields }) => (
      <>
        {message}
        <Fields fields={fields} />
        {requestId !== null && <code class="request-id">{requestId}</code>}
      </>
    ),
  },
];

/** The other members of a line, each with its name. */
function Fields({ fields }: Pick<LogLine, 'fields'>) {
  const shown = Object.entries(fields ?? {});
  if (shown.length === 0) return null;
  return (
    <code class="log-fields">
      {shown.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')}
    </code>
  );
}
