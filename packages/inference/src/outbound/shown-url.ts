/**
 * An address as messages and logs may show it: without user name, password, query and fragment, any of which may be a
 * secret. A text that is no URL loses everything up to the last `@`: a password may be what spoilt it.
 */
export function shownUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.host === '') return withoutQuery(address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1'));
  const isPlain = url.username === '' && url.password === '';
  return isPlain ? withoutQuery(address) : `${url.protocol}//${url.host}${url.pathname}`;
}

const withoutQuery = (address: string) => address.replace(/[?#].*$/s, '');
