import { useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { DataTable } from '../../parts/data-table.js';
import { Field } from '../../parts/field.js';
import { useAction } from '../../server/load.js';
import { useStore } from '../../store.js';
import { formatNumber, t } from '../../strings/strings.js';
import { depth, takeWays } from './choices.js';
import { CONFIGURATIONS_MAX, type Configuration, NAME_LENGTH_MAX, waysOf } from './configuration.js';
import type { SetEditor } from './set-editor.js';

/** Characters of a search that a row shows. */
const SHOWN_MAX = 120;

interface SavedConfigurationsProps {
  readonly editor: SetEditor;
  /** Reads both ways to search to store them; undefined where one cannot be stored, which is told beside it. */
  readonly onRead: () => Pick<Configuration, 'first' | 'second'> | undefined;
  /** Told once others are loaded. */
  readonly onLoad: () => void;
}

/** Pairs of ways to search that are stored with the set: saved by a name, loaded, deleted. */
export function SavedConfigurations({ editor, onRead, onLoad }: SavedConfigurationsProps) {
  const { configurations } = useStore(editor.state);
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const own = name.trim();
  const isKnown = configurations.some((one) => one.name === own);
  const save = (event: Event) => {
    event.preventDefault();
    const isFull = !isKnown && configurations.length >= CONFIGURATIONS_MAX;
    const found = own === '' ? t.relevance.saved.noName : isFull ? t.relevance.saved.many : undefined;
    setFault(found);
    const both = found === undefined ? onRead() : undefined;
    if (both === undefined) return;
    const made: Configuration = { name: own, limit: depth.value, ...both };
    editor.keep(isKnown ? configurations.map((one) => (one.name === own ? made : one)) : [...configurations, made]);
    announce(t.relevance.saved.done(own));
    setName('');
  };
  const load = (one: Configuration) => {
    takeWays(editor.name, waysOf(one));
    depth.set(one.limit ?? depth.value);
    setName(one.name);
    setFault(undefined);
    onLoad();
    announce(t.relevance.saved.loaded(one.name));
  };
  const [leaving, setLeaving] = useState<Configuration>();
  const [first, second] = t.relevance.sides;
  return (
    <section class="panel" aria-label={t.relevance.saved.title}>
      <header class="panel-head">
        <h2>{t.relevance.saved.title}</h2>
      </header>
      {configurations.length > 0 && (
        <DataTable
          label={t.asTable(t.relevance.saved.title)}
          rows={configurations}
          keyOf={(one) => one.name}
          columns={[
            { title: t.relevance.name, class: 'strong', cell: (one) => one.name },
            { title: first, cell: (one) => <ShownWay way={one.first} /> },
            { title: second, cell: (one) => <ShownWay way={one.second} /> },
            { title: t.relevance.saved.hits, kind: 'number', cell: ({ limit }) => formatNumber(limit ?? 0) },
            {
              title: t.operations.actions,
              kind: 'actions',
              cell: (one) => (
                <div class="actions">
                  <Button size="small" aria-label={t.relevance.saved.loadOf(one.name)} onClick={() => load(one)}>
                    {t.relevance.saved.load}
                  </Button>
                  <Button size="small" aria-label={t.relevance.deleteOf(one.name)} onClick={() => setLeaving(one)}>
                    {t.operations.delete}
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      <form class="compare-bar" onSubmit={save}>
        <Field label={t.relevance.saved.nameLabel} hint={t.relevance.saved.hint} error={fault}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              maxLength={NAME_LENGTH_MAX}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit">{isKnown ? t.relevance.saved.replace : t.relevance.saved.save}</Button>
      </form>
      {leaving !== undefined && (
        <DeleteConfiguration editor={editor} configuration={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </section>
  );
}

interface DeleteConfigurationProps {
  readonly editor: SetEditor;
  readonly configuration: Configuration;
  readonly onClose: () => void;
}

function DeleteConfiguration({ editor, configuration: { name }, onClose }: DeleteConfigurationProps) {
  const action = useAction(async () => {
    editor.keep(editor.state.value.configurations.filter((one) => one.name !== name));
  });
  return (
    <ConfirmDialog
      title={t.relevance.deleteOf(name)}
      label={t.relevance.deleteDo}
      action={action}
      done={t.relevance.saved.deleted(name)}
      onClose={onClose}
      onDone={() => undefined}
    >
      {t.relevance.saved.deleteSure}
    </ConfirmDialog>
  );
}

/** The index and the members of a way to search, as far as there is room. */
function ShownWay({ way: { index, search } }: { way: Configuration['first'] }) {
  const text = JSON.stringify(search);
  return (
    <>
      <p>{index}</p>
      <code class="saved-search">{text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text}</code>
    </>
  );
}
