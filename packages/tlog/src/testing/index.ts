/** Logs and witnesses in memory for tests. Anyone can derive their keys: never use them outside tests. */
export { TestLog } from './test-log.js';
export { testPolicy } from './test-policy.js';
export { TestWitness } from './test-witness.js';
