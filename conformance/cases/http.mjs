// Journeys over HTTP against a node that `serve` started. Each is one rule: requests, then what must hold.
import { ADMINISTRATION } from './http/administration.mjs';
import { CERTIFYING } from './http/certifying.mjs';
import { LOOKING_UP } from './http/looking-up.mjs';
import { REFUSALS } from './http/refusals.mjs';
import { TRACING } from './http/tracing.mjs';

export function httpCases() {
  return [...CERTIFYING, ...LOOKING_UP, ...REFUSALS, ...ADMINISTRATION, ...TRACING].map(
    ([id, heading, rule, journey]) => ({
      id: `http/${id}`,
      heading,
      rule,
      command: 'serve',
      journey,
    }),
  );
}
