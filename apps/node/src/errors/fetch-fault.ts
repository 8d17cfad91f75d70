/** The system's code for the reason why `fetch` had no answer, e.g. `ECONNREFUSED`. Its message has the address instead. */
export function fetchFault(error: unknown): string | null {
  const code = memberOf(memberOf(error, 'cause'), 'code');
  return typeof code === 'string' ? code : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
