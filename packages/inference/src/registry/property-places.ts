import { echoed, PelorusError } from '@pelorus/contract';
import { shownUrl } from '../outbound/shown-url.js';
import type { RemoteFile } from '../resolved-model.js';
import { unusableModel } from './model-error.js';
import { flagMember, member, objectMember, textValue } from './property-rules.js';

/** One object of a bucket or file of the hub, or a whole repository. */
export type ModelPlace = { readonly file: RemoteFile } | { readonly repo: string };

/**
 * Refuses more than one place for a model, and any on this machine.
 * @throws PelorusError `bad_request`
 */
export function checkPlaces(model: string, places: readonly unknown[], localpath: unknown): void {
  if ([...places, localpath].filter((place) => place !== undefined).length > 1) {
    throw unusableModel(
      `modelProperties of ${model} name more than one place for the model; give one of url, localpath, ` +
        'model_location or a graph with its sources',
    );
  }
  if (localpath === undefined) return;
  throw unusableModel(
    `modelProperties of ${model} name a localpath, which only the operator may do, in the model file`,
  );
}

/**
 * Reads a location with exactly one of `s3` and `hf`; `what` names it in messages.
 * @throws PelorusError `invalid_argument` for none or both, `bad_request` for what is wrong in one
 */
export function modelLocation(model: string, what: string, location: unknown): ModelPlace {
  const place = objectMember(model, what, location);
  const { s3, hf } = place;
  flagMember(model, place, 'authRequired');
  if ((s3 === undefined) === (hf === undefined)) {
    throw new PelorusError('invalid_argument', `${what} of ${model} must have exactly one of 's3' and 'hf'`);
  }
  if (s3 !== undefined) {
    const object = objectMember(model, `${what}.s3`, s3);
    const bucket = textValue(model, `${what}.s3.Bucket`, object.Bucket);
    const key = textValue(model, `${what}.s3.Key`, object.Key);
    return { file: archive(model, bucketObject(model, bucket, key)) };
  }
  const published = objectMember(model, `${what}.hf`, hf);
  const repoId = repo(model, textValue(model, `${what}.hf.repo_id`, member(published, 'repoId')));
  if (published.filename === undefined || published.filename === null) return { repo: repoId };
  const file = innerPath(model, textValue(model, `${what}.hf.filename`, published.filename));
  return { file: archive(model, { from: 'hub', repo: repoId, file }) };
}

/**
 * An object of a bucket. Buckets of old have capitals and underscores, which new ones may not.
 * @throws PelorusError `bad_request`
 */
export function bucketObject(model: string, bucket: string, key: string): RemoteFile {
  if (/^[a-z0-9]([\w.-]{0,253}[a-z0-9])?$/i.test(bucket)) return { from: 's3', bucket, key: innerPath(model, key) };
  throw unusableModel(
    `the location of ${model} must have the name of a bucket, letters, digits, dots and hyphens, received ${echoed(bucket)}`,
  );
}

/** A path within a bucket or a repository, out of which it must not lead. */
export function innerPath(model: string, path: string): string {
  if (!path.split('/').some((part) => part === '.' || part === '..')) return path;
  throw unusableModel(`the location of ${model} must have no . or .. in its path, received ${echoed(path)}`);
}

/** A file that has to be an archive of graphs: other files of weights cannot be run. @throws PelorusError `bad_request` */
export function archive(model: string, file: RemoteFile): RemoteFile {
  const path = file.from === 'url' ? new URL(file.url).pathname : file.from === 's3' ? file.key : file.file;
  if (isArchive(path)) return file;
  throw unusableModel(
    `the location of ${model} must be a ${ARCHIVES} file that holds model.onnx and tokenizer.json, received ${path}`,
  );
}

export const ARCHIVES = '.zip, .tar, .tar.gz or .tgz';

/** Tells whether a file of that name is an archive that can be unpacked. */
export function isArchive(name: string): boolean {
  return /\.(zip|tar|tar\.gz|tgz)$/i.test(name);
}

/**
 * An address without credentials in it; `kinds` names what else could stand there.
 * @throws PelorusError `bad_request`
 */
export function httpUrl(model: string, value: string, kinds = 'an http(s) URL'): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw unusableModel(`the location of ${model} must be ${kinds}, received ${shownUrl(value)}`);
  }
  if (url.username === '' && url.password === '') return url.href;
  throw unusableModel(
    `the location of ${model} must be a URL without a user name and password, received them with ${shownUrl(value)}`,
  );
}

/** Tells whether a text may be the name of a hub repository, an organisation's or of one word. */
export function isRepo(name: string): boolean {
  const parts = name.split('/');
  return parts.length <= 2 && parts.every((part) => /^[\w-][\w.-]{0,95}$/.test(part));
}

/** A hub repository's name: it becomes part of a URL and of a folder's name, so nothing else may pass. */
export function repo(model: string, name: string): string {
  if (isRepo(name)) return name;
  throw unusableModel(`'${shownUrl(name)}' in the properties of ${model} is not the name of a hub repository`);
}
