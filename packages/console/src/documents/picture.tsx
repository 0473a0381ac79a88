import { SERVER_URL } from '../server/session.js';
import { t } from '../strings/strings.js';

const PICTURE_DATA = /^data:image\/(png|jpeg|jpg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+$/;
const PICTURE_PATH = /\.(png|jpe?g|gif|webp|avif)$/i;

/** The address of a picture that a text is, if it is one. */
export function pictureAddress(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.startsWith('data:')) return PICTURE_DATA.test(value) ? value : undefined;
  try {
    const url = new URL(value);
    return /^https?:$/.test(url.protocol) && PICTURE_PATH.test(url.pathname) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Pictures that can be shown without a request to another host: none other is ever fetched by the page. */
const isShown = (address: string): boolean =>
  address.startsWith('data:') || address.startsWith(`${new URL(SERVER_URL).origin}/`);

/** A picture of a document, or the way to one that lies elsewhere: only who follows it asks its host for it. */
export function Picture({ address, label }: { address: string; label: string }) {
  if (isShown(address)) return <img class="picture" src={address} alt={label} loading="lazy" decoding="async" />;
  return (
    <a class="picture-link" href={address} target="_blank" rel="noreferrer noopener">
      {t.documents.pictureElsewhere(new URL(address).host)}
    </a>
  );
}
