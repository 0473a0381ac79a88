import type { Pelorus, types } from '@pelorus/client';
import { useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Skeleton } from '../../parts/empty.js';
import { Checkbox, Field } from '../../parts/field.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { useAction, useLoad } from '../../server/load.js';
import { t } from '../../strings/strings.js';
import { changeOf } from './document-changes.js';

interface DocumentDialogProps {
  readonly index: string;
  /** Undefined for a new document. */
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

type Document = Readonly<Record<string, unknown>>;

interface Stored {
  readonly document: Document & { readonly _id: string };
  readonly tensorFields: readonly string[];
  readonly isStructured: boolean;
  /** Tells whether vectors of its texts can be chosen: an index without a model makes none. */
  readonly canEmbed: boolean;
}

/** Shows a document as JSON, to be changed or deleted, or takes a new one. */
export function DocumentDialog({ index, id, onClose, onChanged }: DocumentDialogProps) {
  const stored = useLoad((client, signal) => load(client, index, id, signal), [index, id]);
  return (
    <Dialog title={id === undefined ? t.data.addDocument : t.data.documentTitle(id)} onClose={onClose} isWide>
      {stored.failure !== undefined && <FailureNotice failure={stored.failure} retry={stored.reload} />}
      {stored.data === undefined ? (
        stored.failure === undefined && <Skeleton />
      ) : (
        <Editor index={index} isNew={id === undefined} stored={stored.data} onClose={onClose} onChanged={onChanged} />
      )}
    </Dialog>
  );
}

async function load(client: Pelorus, index: string, id: string | undefined, signal: AbortSignal): Promise<Stored> {
  const settings = await client.index(index).settings({ signal });
  const isStructured = settings.type === 'structured';
  const canEmbed = !isStructured && settings.model !== 'no_model';
  if (id === undefined) return { document: { _id: '' }, tensorFields: [], isStructured, canEmbed };
  const path = `/indexes/${encodeURIComponent(index)}/documents/${encodeURIComponent(id)}?expose_facets=true`;
  const { _tensor_facets: facets = [], ...document } = await client.call<types.StoredDocument>('GET', path, undefined, {
    signal,
  });
  const names = facets.flatMap((facet) => Object.keys(facet).filter((name) => name !== '_embedding'));
  return { document, tensorFields: [...new Set(names)], isStructured, canEmbed };
}

interface EditorProps {
  readonly index: string;
  readonly isNew: boolean;
  readonly stored: Stored;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function Editor({ index, isNew, stored, onClose, onChanged }: EditorProps) {
  const [text, setText] = useState(() => JSON.stringify(stored.document, null, 2));
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isDeleting, setDeleting] = useState(false);
  const { edited, fault } = parsed(text, isNew ? undefined : stored.document._id);
  const save = useAction(async (client, document: Document) => {
    const target = client.index(index);
    if (isNew) {
      const { _id, ...fields } = document;
      const whole = typeof _id === 'string' && _id !== '' ? { ...fields, _id } : fields;
      const options = stored.isStructured ? {} : { tensorFields: chosen.filter((name) => name in fields) };
      throwFirst(await target.add([whole], options));
      return;
    }
    const change = changeOf(stored.document, document, stored.tensorFields);
    if (change.kind === 'refused') throw new Error(t.data.otherVectors(change.field));
    if (change.kind === 'update') throwFirst(await target.update([change.changes]));
    if (change.kind === 'replace') {
      const options = stored.isStructured ? {} : { tensorFields: change.tensorFields };
      throwFirst(await target.add([change.document], options));
    }
  });
  const remove = useAction(async (client) => {
    await client.index(index).delete([stored.document._id]);
  });
  const finish = (told: string) => {
    announce(told);
    onChanged();
    onClose();
  };
  const texts = Object.entries(edited ?? {}).filter(
    ([name, value]) => typeof value === 'string' && !name.startsWith('_'),
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    if (edited !== undefined && (await save.run(edited))) finish(t.data.saved);
  };
  const failure = save.failure ?? remove.failure;
  return (
    <form class="stack" onSubmit={submit}>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {stored.tensorFields.length > 0 && <p class="muted">{t.data.hasVectors(stored.tensorFields.join(', '))}</p>}
      <Field label={t.data.asJson} error={fault}>
        {(control) => (
          <textarea
            {...control}
            class="mono"
            rows={Math.min(Math.max(text.split('\n').length, 8), 24)}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
      {isNew && stored.canEmbed && (
        <fieldset class="choices">
          <legend class="label">{t.data.tensorFields}</legend>
          {texts.length === 0 && <p class="field-hint">{t.data.tensorFieldsNone}</p>}
          {texts.map(([name]) => (
            <Checkbox
              key={name}
              label={name}
              checked={chosen.includes(name)}
              onChange={({ currentTarget }) =>
                setChosen(currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
          ))}
        </fieldset>
      )}
      {isDeleting && (
        <Notice tone="warn" title={t.data.deleteSure}>
          <div class="actions">
            <Button
              tone="danger"
              size="small"
              isBusy={remove.isRunning}
              onClick={async () => (await remove.run()) && finish(t.data.deletedOne)}
            >
              {t.data.deleteDo}
            </Button>
            <Button size="small" onClick={() => setDeleting(false)}>
              {t.cancel}
            </Button>
          </div>
        </Notice>
      )}
      <div class="actions">
        <Button tone="primary" type="submit" isBusy={save.isRunning} disabled={edited === undefined}>
          {isNew ? t.data.addDocument : t.data.save}
        </Button>
        <Button onClick={onClose}>{t.cancel}</Button>
        {!isNew && !isDeleting && (
          <Button tone="quiet" onClick={() => setDeleting(true)}>
            {t.data.deleteOpen}
          </Button>
        )}
      </div>
    </form>
  );
}

/** The document of a text, or what is wrong with it. */
function parsed(text: string, id: string | undefined): { readonly edited?: Document; readonly fault?: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: t.data.notJson((error as Error).message) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: t.data.noDocument };
  const edited = value as Document;
  if (id !== undefined && edited._id !== id) return { fault: t.data.otherId(id) };
  return { edited };
}

/** @throws Error with the reason for which the only document was refused */
function throwFirst({
  outcomes,
}: {
  readonly outcomes: readonly { readonly status: number; readonly message?: string | undefined }[];
}): void {
  const [only] = outcomes;
  if (only !== undefined && only.status >= 300) throw new Error(only.message ?? String(only.status));
}
