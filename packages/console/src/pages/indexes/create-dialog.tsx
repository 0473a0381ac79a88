import resourceSchema from 'virtual:schema/hosted-resources';
import schema from 'virtual:schema/index-settings';
import { INDEX_NAME_LENGTH_MAX, indexNameProblem } from '@pelorus/contract/names';
import { useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Code } from '../../parts/code.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { changed, isUnfinished, type Values } from '../../parts/schema-form/schema.js';
import { SchemaMembers } from '../../parts/schema-form/schema-form.js';
import type { Failure } from '../../server/failure.js';
import { HOSTED_INDEXES } from '../../server/hosted-index.js';
import { useAction } from '../../server/load.js';
import { isHosted } from '../../server/session.js';
import { t } from '../../strings/strings.js';

interface CreateDialogProps {
  /** Models of the indexes that there are. */
  readonly models: readonly string[];
  /** The name to begin with, what the index is for, and the fields of its documents with the share that has them. */
  readonly proposed?: {
    readonly name: string;
    readonly explanation: string;
    readonly fields: ReadonlyMap<string, number>;
  };
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}

/** Members that most people decide on, in the order in which they do. */
const FIRST = ['model', 'type', 'allFields', 'tensorFields'];
const STRUCTURED = new Set(['allFields', 'tensorFields']);
const UNSTRUCTURED = new Set([
  ...['treatUrlsAndPointersAsImages', 'treatUrlsAndPointersAsMedia', 'filterStringMaxLength', 'collapseFields'],
]);
/** The member that has a control of its own, in plain words. */
const GROUPS = 'collapseFields';
/** The share of the machine that an index of the hosted form may use. */
const RESOURCES = Object.keys(resourceSchema.properties ?? {});
/** The model that comes with Pelorus, and reads English. */
const OWN_MODEL = 'hf/all-MiniLM-L6-v2';
/** A small model for many languages, which the server has to fetch. */
const MULTILINGUAL_MODEL = 'hf/multilingual-e5-small';
/** Properties of the model of an index that has no vectors. */
const NO_VECTORS = { type: 'no_model', dimensions: 1 } as const;
/** Settings by what is searched: by words alone, or by meaning too. */
const SEARCHED_BY = {
  words: { model: 'no_model', modelProperties: NO_VECTORS },
  english: { model: OWN_MODEL },
  languages: { model: MULTILINGUAL_MODEL },
} as const;

/** Creates an index by a form that is made from the contract's schema of its settings. */
export function CreateDialog({ models, proposed, onClose, onCreated }: CreateDialogProps) {
  const [name, setName] = useState(proposed?.name ?? '');
  const [nameError, setNameError] = useState<string>();
  const [values, setValues] = useState<Values>({ model: OWN_MODEL });
  const [resources, setResources] = useState<Values>({});
  const create = useAction(async (client, indexName: string, settings: Values) => {
    await client.createIndex(indexName, settings);
  });
  const isStructured = values.type === 'structured';
  const isShown = (member: string) => !(isStructured ? UNSTRUCTURED : STRUCTURED).has(member);
  const members = Object.keys(schema.properties ?? {}).filter(isShown);
  const own = Object.fromEntries(Object.entries(values).filter(([member]) => isShown(member)));
  const settings = { ...own, ...resources };
  const { problems, rest } = splitProblems(create.failure, [...members, ...RESOURCES]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const fault = nameFault(name.trim());
    if (fault !== undefined) return setNameError(fault);
    if (isUnfinished(settings)) return;
    if (!(await create.run(name.trim(), settings))) return;
    announce(t.indexes.created(name.trim()));
    onCreated(name.trim());
  };
  const form = {
    schema,
    values,
    // Another model that is typed has properties of its own.
    onChange: (next: Values) => setValues(next.model === 'no_model' ? next : withoutVectorless(next)),
    problems,
    offers: { model: [...new Set([OWN_MODEL, MULTILINGUAL_MODEL, ...models])] },
  };
  return (
    <Dialog title={t.indexes.create} onClose={onClose} isWide>
      <form onSubmit={submit} class="stack">
        {rest !== undefined && <FailureNotice failure={rest} />}
        {proposed !== undefined && <p>{proposed.explanation}</p>}
        <Field label={t.indexes.nameLabel} hint={t.indexes.nameHint} error={nameError}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={name}
              onInput={({ currentTarget }) => {
                setName(currentTarget.value);
                setNameError(undefined);
              }}
            />
          )}
        </Field>
        <ModelChoice
          chosen={values.model}
          onChoose={(one) => setValues({ ...withoutVectorless(values), ...SEARCHED_BY[one] })}
        />
        <div class="form-grid">
          <SchemaMembers {...form} names={FIRST.filter(isShown)} />
          {!isStructured && (
            <Field
              label={t.indexes.variants}
              hint={t.indexes.variantsHint}
              error={[...problems].find(([path]) => path.startsWith(GROUPS))?.[1]}
            >
              {(control) =>
                proposed === undefined ? (
                  <input
                    {...control}
                    type="text"
                    autocomplete="off"
                    spellcheck={false}
                    value={groupFieldOf(values)}
                    onInput={({ currentTarget }) => setValues(withGroup(values, currentTarget.value))}
                  />
                ) : (
                  <select
                    {...control}
                    value={groupFieldOf(values)}
                    onChange={({ currentTarget }) => setValues(withGroup(values, currentTarget.value))}
                  >
                    <option value="">{t.indexes.variantsNone}</option>
                    {[...proposed.fields].map(([field, share]) => (
                      <option key={field} value={field}>
                        {share === 1 ? field : t.indexes.variantsLacking(field, Math.floor(share * 100))}
                      </option>
                    ))}
                  </select>
                )
              }
            </Field>
          )}
        </div>
        <details>
          <summary>{t.indexes.moreSettings}</summary>
          <div class="form-grid">
            <SchemaMembers {...form} names={members.filter((member) => !FIRST.includes(member) && member !== GROUPS)} />
          </div>
        </details>
        {isHosted && (
          <details>
            <summary>{t.hosted.resources}</summary>
            <div class="form-grid">
              <SchemaMembers
                schema={resourceSchema}
                names={RESOURCES}
                values={resources}
                onChange={setResources}
                problems={problems}
              />
            </div>
          </details>
        )}
        <Code
          label={t.indexes.requestShown}
          text={`POST ${isHosted ? HOSTED_INDEXES : '/indexes'}/${encodeURIComponent(name.trim()) || '…'}\n${JSON.stringify(isUnfinished(settings) ? {} : settings, null, 2)}`}
        />
        <div class="actions">
          <Button tone="primary" type="submit" isBusy={create.isRunning} disabled={isUnfinished(settings)}>
            {t.indexes.create}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ModelChoiceProps {
  readonly chosen: unknown;
  readonly onChoose: (one: keyof typeof SEARCHED_BY) => void;
}

/** The ways to search that fit most people, by what a model reads; the field of the form takes any other one. */
function ModelChoice({ chosen, onChoose }: ModelChoiceProps) {
  return (
    <fieldset class="radio-list">
      <legend>{t.indexes.modelChoice}</legend>
      <p class="field-hint">{t.indexes.modelChoiceHint}</p>
      {(Object.keys(SEARCHED_BY) as (keyof typeof SEARCHED_BY)[]).map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="model-choice"
            checked={chosen === SEARCHED_BY[one].model}
            onChange={() => onChoose(one)}
          />
          <span>
            {t.indexes.modelChoices[one]} <code class="faint">{SEARCHED_BY[one].model}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The settings without the properties of an index that has no vectors; others that somebody gave stay. */
function withoutVectorless({ modelProperties, ...rest }: Values): Values {
  return modelProperties === undefined || modelProperties === NO_VECTORS ? rest : { ...rest, modelProperties };
}

/** The field by which hits are grouped; empty where none does. */
const groupFieldOf = ({ [GROUPS]: fields }: Values): string =>
  (fields as readonly { readonly name: string }[] | undefined)?.[0]?.name ?? '';

/** The settings with the field by which hits are grouped. */
const withGroup = (values: Values, field: string): Values =>
  changed(values, GROUPS, field.trim() === '' ? undefined : [{ name: field.trim() }]);

/** The reason that no index can be called `name`, in words. */
function nameFault(name: string): string | undefined {
  if (name === '') return t.indexes.nameMissing;
  if (name.length > INDEX_NAME_LENGTH_MAX) return t.indexes.nameLong(INDEX_NAME_LENGTH_MAX);
  return indexNameProblem(name) === undefined ? undefined : t.indexes.nameUnfit;
}

/** The words of the server about members that the form shows, by their path, and all others of it. */
function splitProblems(failure: Failure | undefined, members: readonly string[]) {
  const shown = failure?.problems.filter(({ field }) => members.includes(field.split('.', 1)[0] ?? '')) ?? [];
  const problems = new Map(shown.map(({ field, message }) => [field, message] as const));
  if (failure === undefined || shown.length === 0) return { problems, rest: failure };
  return { problems, rest: { ...failure, message: t.indexes.problemsTitle } };
}
