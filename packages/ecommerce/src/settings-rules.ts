import { invalidArgument, isRedirect, type PelorusError } from '@pelorus/contract';
import { MEANING_FIELDS, PARENT_FIELD, PICTURE_FIELD } from './products.js';
import { isRankingField } from './ranking-fields.js';
import { type Profile, profilesOf, type Settings } from './settings.js';

/** Most bytes of the settings of a shop, as JSON. */
const SETTINGS_BYTES_MAX = 1024 * 1024;
/** Longest names and texts, in characters. */
const NAME_LENGTH_MAX = 256;

const NAMESPACE = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * Checks the rules that the shape of settings does not say.
 * @throws PelorusError that names the member
 */
export function checkSettings(settings: Settings): void {
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes > SETTINGS_BYTES_MAX) {
    throw invalidArgument(`The settings have ${bytes} bytes, more than the limit of ${SETTINGS_BYTES_MAX}`);
  }
  for (const name of Object.keys(settings.profiles ?? {})) checkName(name, 'profiles');
  for (const { path, profile } of profilesOf(settings)) checkSearchSettings(profile, path);
  for (const [place, { suggestion, namespace }] of (settings.suggestions ?? []).entries()) {
    checkName(suggestion, `suggestions[${place}].suggestion`);
    if (namespace != null) checkNamespace(namespace, `suggestions[${place}].namespace`);
  }
  checkNames(settings.publicFields, 'publicFields');
  if (settings.customerId != null) checkName(settings.customerId, 'customerId');
}

/**
 * Checks the use that a change makes of those members of products whose kind is known; only products tell the kind of
 * others.
 * @throws PelorusError that names the member
 */
export function checkFieldKinds(change: Settings, collectionField: string): void {
  const texts: readonly string[] = [...MEANING_FIELDS, PICTURE_FIELD, PARENT_FIELD, '_id', collectionField];
  for (const { path, profile } of profilesOf(change)) {
    const { searchableFields, fieldWeights, boosts } = profile;
    if (searchableFields?.length === 0) {
      throw invalidArgument(`${path}searchableFields must be null or have at least one name, but it is empty`);
    }
    for (const [place, name] of (searchableFields ?? []).entries()) {
      checkIsText(name, `${path}searchableFields[${place}]`);
    }
    for (const name of Object.keys(fieldWeights ?? {})) checkIsText(name, `${path}fieldWeights`);
    for (const [place, { fieldName }] of (boosts ?? []).entries()) {
      if (!texts.includes(fieldName)) continue;
      throw unexpected(`${path}boosts[${place}].fieldName`, 'a member of products that is a number', fieldName);
    }
  }
}

function checkIsText(name: string, member: string): void {
  if (name !== 'price' && !isRankingField(name)) return;
  throw unexpected(member, 'a member of products that is a text', name);
}

/** @throws PelorusError for a name that no namespace has */
export function checkNamespace(namespace: string, member = 'namespace'): void {
  if (NAMESPACE.test(namespace)) return;
  throw unexpected(member, 'lower-case letters, digits, _ and -, at most 64, with no _ or - in front', namespace);
}

function checkSearchSettings(settings: Profile, path: string): void {
  const { collapseField } = settings;
  if (collapseField != null && collapseField !== '' && collapseField !== PARENT_FIELD) {
    throw unexpected(`${path}collapseField`, `${PARENT_FIELD} or an empty text`, collapseField);
  }
  checkNames(settings.searchableFields, `${path}searchableFields`);
  for (const name of Object.keys(settings.fieldWeights ?? {})) checkName(name, `${path}fieldWeights`);
  checkNames(settings.sortFields, `${path}sortFields`);
  for (const [place, { fieldName }] of (settings.boosts ?? []).entries()) {
    checkName(fieldName, `${path}boosts[${place}].fieldName`);
  }
  for (const [place, { terms, from }] of (settings.synonyms ?? []).entries()) {
    checkNames(terms, `${path}synonyms[${place}].terms`);
    if (from != null) checkName(from, `${path}synonyms[${place}].from`);
  }
  for (const [place, { productIds }] of (settings.hidden ?? []).entries()) {
    checkNames(productIds, `${path}hidden[${place}].productIds`);
  }
  for (const [place, { query, url }] of (settings.redirects ?? []).entries()) {
    checkName(query, `${path}redirects[${place}].query`);
    if (isRedirect(url)) continue;
    throw unexpected(`${path}redirects[${place}].url`, 'an http or https URL, or a path with one / in front', url);
  }
}

function checkNames(names: readonly string[] | null | undefined, member: string): void {
  for (const [place, name] of (names ?? []).entries()) checkName(name, `${member}[${place}]`);
}

function checkName(name: string, member: string): void {
  if (name.trim() !== '' && name.length <= NAME_LENGTH_MAX) return;
  throw unexpected(member, `a text of 1 to ${NAME_LENGTH_MAX} characters`, name);
}

function unexpected(member: string, expected: string, received: string): PelorusError {
  return invalidArgument(`${member} must be ${expected}, but it is '${received.slice(0, NAME_LENGTH_MAX)}'`);
}
