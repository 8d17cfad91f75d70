import { SKETCH_URL } from '../render-rules.js';

/**
 * Gives a realm without a page the names that no script can take from a page, as a sketch finds them there: `window` and
 * `top` are the global object, `document` has only its `location`. After `confine`.
 */
export function addPageNames(scope: typeof globalThis): void {
  const host = SKETCH_URL.slice('https://'.length, -1);
  const location = Object.freeze({
    ancestorOrigins: Object.freeze({}),
    href: SKETCH_URL,
    origin: `https://${host}`,
    protocol: 'https:',
    host,
    hostname: host,
    port: '',
    pathname: '/',
    search: '',
    hash: '',
    toString: () => SKETCH_URL,
  });
  const document = Object.defineProperty({}, 'location', { value: location, enumerable: true });
  for (const [name, value] of Object.entries({ window: scope, document, location, top: scope }))
    // Without a setter, so that `var top = 5` does nothing and `let top = 5` does not load.
    Object.defineProperty(scope, name, { get: () => value, enumerable: true, configurable: false });
}
