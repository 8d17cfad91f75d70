import { UsageError } from '../usage-error.js';

/**
 * An http or https address as it was given.
 * @param named what gave it, for messages
 * @throws UsageError when it is malformed, or holds a password
 */
export function webAddress(given: string, named: string, options?: { readonly seesHelp?: boolean }): URL {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    throw new UsageError(`${named}: must be a http or https address, such as https://node.example`, options);
  const url = new URL(given);
  if (url.username !== '' || url.password !== '') throw new UsageError(`${named}: an address must not hold a password`);
  return url;
}
