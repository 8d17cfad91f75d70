/** `npm run test:long` runs everything; `npm test` runs the short form of suites that draw for minutes. */
export const IS_LONG = process.env['CER_TESTS'] === 'long';
