import { t } from '../../strings/strings.js';
import { Button } from '../button.js';
import { Field } from '../field.js';
import { localOf, momentOf, zoneAt } from '../moment.js';
import {
  changed,
  choicesOf,
  controlOf,
  isWhole,
  plainWords,
  type Schema,
  Unfinished,
  type Values,
  withoutNull,
  wordsOf,
} from './schema.js';

interface MembersProps {
  readonly schema: Schema;
  /** Members to show, in this order. */
  readonly names: readonly string[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
  /** The words of the server about members, by their path. */
  readonly problems: ReadonlyMap<string, string>;
  readonly path?: string;
  /** Values that are offered for a text, by the path of its member. */
  readonly offers?: Readonly<Record<string, readonly string[]>>;
  /** Doubts about values that are taken nevertheless, by the path of their member. */
  readonly doubts?: ReadonlyMap<string, string> | undefined;
  /** Texts that are moments, by the path of their member. */
  readonly moments?: readonly string[];
}

/** Entries that are offered at once. */
const OFFERS_MAX = 12;

/** Controls for members of an object, made from its schema. Only what differs from the defaults becomes a value. */
export function SchemaMembers(props: MembersProps) {
  const { schema, names, values, onChange, problems, path = '', offers = {}, moments = [], doubts } = props;
  return (
    <>
      {names.map((name) => {
        const member = schema.properties?.[name];
        if (member === undefined) return null;
        return (
          <Member
            key={name}
            name={name}
            path={path === '' ? name : `${path}.${name}`}
            schema={member}
            isRequired={schema.required?.includes(name) === true}
            value={values[name]}
            onChange={(value) => onChange(changed(values, name, value))}
            problems={problems}
            offers={offers}
            moments={moments}
            doubts={doubts}
          />
        );
      })}
    </>
  );
}

interface MemberProps {
  readonly name: string;
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly problems: ReadonlyMap<string, string>;
  readonly offers: Readonly<Record<string, readonly string[]>>;
  readonly moments: readonly string[];
  readonly doubts: ReadonlyMap<string, string> | undefined;
}

function Member(props: MemberProps) {
  switch (controlOf(props.schema)) {
    case 'group':
      return <Group {...props} />;
    case 'entries':
      return <Entries {...props} />;
    case 'choice':
      return <Choice {...props} choices={choicesOf(props.schema).map((choice) => [choice, choice])} />;
    case 'switch':
      return <Switch {...props} />;
    case 'number':
      return <NumberMember {...props} />;
    case 'lines':
      return <Lines {...props} />;
    case 'json':
      return <Json {...props} />;
    default:
      return props.moments.includes(props.path) ? <Moment {...props} /> : <Text {...props} />;
  }
}

/** The words of the contract about a member, and its default. */
function hintOf({ schema }: MemberProps): string {
  const { description = '', default: byDefault } = schema;
  const isTold = byDefault !== undefined && typeof byDefault !== 'object';
  const told = [plainWords(description), isTold && t.form.default(String(byDefault))].filter(Boolean);
  return told.map((sentence) => `${sentence}.`).join(' ');
}

function Text(props: MemberProps) {
  const { name, path, schema, value, onChange, problems, offers, isRequired } = props;
  const offered = offers[path] ?? [];
  return (
    <Field label={wordsOf(name)} hint={hintOf(props)} error={problems.get(path)}>
      {(control) => (
        <>
          <input
            {...control}
            type="text"
            required={isRequired}
            autocomplete="off"
            spellcheck={false}
            maxLength={withoutNull(schema).maxLength}
            placeholder={typeof schema.default === 'string' ? schema.default : undefined}
            value={typeof value === 'string' ? value : ''}
            list={offered.length > 0 ? `${control.id}-offers` : undefined}
            onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
          />
          {offered.length > 0 && (
            <datalist id={`${control.id}-offers`}>
              {offered.map((offer) => (
                <option key={offer} value={offer} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** A moment by its day and time in the time zone of the browser; the value is in UTC. */
function Moment(props: MemberProps) {
  const { name, path, value, onChange, problems, isRequired } = props;
  const given = typeof value === 'string' ? value : undefined;
  // Examples in descriptions are of the interface, and nobody types one here.
  const description = hintOf(props).replace(/, such as .*$/, '.');
  return (
    <Field
      label={wordsOf(name)}
      hint={`${description} ${t.rules.zone(zoneAt(given))}`.trim()}
      error={problems.get(path)}
    >
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          required={isRequired}
          max="9999-12-31T00:00"
          step="any"
          value={given === undefined ? '' : localOf(given)}
          onChange={({ currentTarget }) => onChange(momentOf(currentTarget.value))}
        />
      )}
    </Field>
  );
}

function NumberMember(props: MemberProps) {
  const { name, path, schema, value, onChange, problems } = props;
  const { minimum, maximum } = withoutNull(schema);
  const text = value instanceof Unfinished ? value.text : value === undefined ? '' : String(value);
  const read = (typed: string) => {
    if (typed.trim() === '') return undefined;
    const number = Number(typed);
    const isGood = Number.isFinite(number) && (!isWhole(schema) || Number.isInteger(number));
    return isGood && number >= (minimum ?? -Infinity) && number <= (maximum ?? Infinity)
      ? number
      : new Unfinished(typed);
  };
  const bounds = minimum !== undefined && maximum !== undefined ? t.form.between(minimum, maximum) : '';
  const error = value instanceof Unfinished ? bounds || t.form.notNumber : problems.get(path);
  return (
    <Field label={wordsOf(name)} hint={hintOf(props)} error={error}>
      {(control) => (
        <input
          {...control}
          class="short"
          type="text"
          inputMode={isWhole(schema) ? 'numeric' : 'decimal'}
          autocomplete="off"
          placeholder={schema.default === undefined ? undefined : String(schema.default)}
          value={text}
          onInput={({ currentTarget }) => onChange(read(currentTarget.value))}
        />
      )}
    </Field>
  );
}

function Choice(props: MemberProps & { choices: readonly (readonly [value: string, label: string])[] }) {
  const { name, path, schema, value, onChange, problems, choices, isRequired } = props;
  const byDefault = typeof schema.default === 'object' || schema.default === undefined ? '' : ` (${schema.default})`;
  return (
    <Field label={wordsOf(name)} hint={hintOf(props)} error={problems.get(path)}>
      {(control) => (
        <select
          {...control}
          required={isRequired}
          value={value === undefined ? '' : String(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
        >
          <option value="">{isRequired ? '' : `${t.form.asDefault}${byDefault}`}</option>
          {choices.map(([choice, label]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Switch(props: MemberProps) {
  const onChange = (value: unknown) => props.onChange(value === undefined ? undefined : value === 'true');
  return (
    <Choice
      {...props}
      onChange={onChange}
      choices={[
        ['true', t.yes],
        ['false', t.no],
      ]}
    />
  );
}

function Lines(props: MemberProps) {
  const { name, path, value, onChange, problems, offers, doubts } = props;
  const lines = Array.isArray(value) ? [...value] : [];
  const offered = (offers[path] ?? []).filter((offer) => !lines.includes(offer)).slice(0, OFFERS_MAX);
  const text = value instanceof Unfinished ? value.text : Array.isArray(value) ? value.join('\n') : '';
  const hint = [hintOf(props), t.form.listHint].filter(Boolean).join(' ');
  // Blank lines are of typing: they become entries no more than they are sent.
  const read = (typed: string) => {
    const lines = typed.split('\n');
    return lines.some((line) => line.trim() === '') && typed.trim() !== '' && typed.endsWith('\n')
      ? new TypedLines(
          typed,
          lines.filter((line) => line.trim() !== ''),
        )
      : lines.filter((line) => line.trim() !== '');
  };
  return (
    <Field label={wordsOf(name)} hint={hint} error={problems.get(path)} doubt={doubts?.get(path)}>
      {(control) => (
        <>
          <textarea
            {...control}
            rows={3}
            spellcheck={false}
            value={value instanceof TypedLines ? value.typed : text}
            onInput={({ currentTarget }) => onChange(read(currentTarget.value))}
          />
          {offered.length > 0 && (
            <div class="row">
              {offered.map((offer) => (
                <Button
                  key={offer}
                  size="small"
                  aria-label={t.form.addOffer(offer)}
                  onClick={() => onChange([...lines, offer])}
                >
                  {offer}
                </Button>
              ))}
            </div>
          )}
        </>
      )}
    </Field>
  );
}

/** Lines of which the last is still empty: the text area shows them as they were typed. */
class TypedLines extends Array<string> {
  declare readonly typed: string;

  constructor(typed: string, lines: readonly string[]) {
    super(...lines);
    Object.defineProperty(this, 'typed', { value: typed, enumerable: false });
  }
}

function Json(props: MemberProps) {
  const { name, path, value, onChange, problems } = props;
  const text = value instanceof Unfinished ? value.text : value === undefined ? '' : JSON.stringify(value, null, 2);
  const read = (typed: string) => {
    if (typed.trim() === '') return undefined;
    try {
      const parsed: unknown = JSON.parse(typed);
      // Spaces of somebody who is typing are kept until the object is another one.
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
    } catch {
      // As for JSON that is no object.
    }
    return new Unfinished(typed);
  };
  const error = value instanceof Unfinished ? t.form.notJson : problems.get(path);
  return (
    <Field label={wordsOf(name)} hint={hintOf(props)} error={error}>
      {(control) => (
        <textarea
          {...control}
          class="mono"
          rows={4}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => onChange(read(currentTarget.value))}
        />
      )}
    </Field>
  );
}

function Group({ name, path, schema, value, onChange, problems, offers, moments, doubts }: MemberProps) {
  const inner = withoutNull(schema);
  return (
    <fieldset class="group">
      <legend>{wordsOf(name)}</legend>
      {schema.description !== undefined && <p class="field-hint">{plainWords(schema.description)}.</p>}
      <div class="form-grid">
        <SchemaMembers
          schema={inner}
          names={Object.keys(inner.properties ?? {})}
          values={(value ?? {}) as Values}
          onChange={onChange}
          problems={problems}
          path={path}
          offers={offers}
          moments={moments}
          doubts={doubts}
        />
      </div>
    </fieldset>
  );
}

function Entries({ name, path, schema, value, onChange, problems, offers, moments, doubts }: MemberProps) {
  const { items = {}, description = '' } = withoutNull(schema);
  const entries = Array.isArray(value) ? (value as Values[]) : [];
  const error = problems.get(path);
  return (
    <fieldset class="group">
      <legend>{wordsOf(name)}</legend>
      {description !== '' && <p class="field-hint">{plainWords(description)}.</p>}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      {entries.map((entry, place) => (
        <fieldset class="entry" key={place}>
          <legend>{t.form.entry(wordsOf(name), place + 1)}</legend>
          <div class="form-grid">
            <SchemaMembers
              schema={items}
              names={Object.keys(items.properties ?? {})}
              values={entry}
              onChange={(next) => onChange(entries.map((one, at) => (at === place ? next : one)))}
              problems={problems}
              path={`${path}.${place}`}
              offers={offers}
              moments={moments}
              doubts={doubts}
            />
          </div>
          <Button
            size="small"
            tone="quiet"
            aria-label={t.form.removeEntry(wordsOf(name), place + 1)}
            onClick={() => onChange(entries.filter((_, at) => at !== place))}
          >
            {t.remove}
          </Button>
        </fieldset>
      ))}
      <Button size="small" onClick={() => onChange([...entries, {}])}>
        {t.form.addEntry(wordsOf(name))}
      </Button>
    </fieldset>
  );
}
