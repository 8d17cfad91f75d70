/** In the address fields of a hostile request; no answer repeats it. */
const FOREIGN = 'foreign.example';

/** Fields with which a client states another address, path or method than that of its request. */
export const HOSTILE_FIELDS: Readonly<Record<string, string>> = {
  'x-forwarded-host': FOREIGN,
  'x-forwarded-proto': FOREIGN,
  'x-forwarded-prefix': `/${FOREIGN}`,
  'x-forwarded-server': FOREIGN,
  'x-host': FOREIGN,
  forwarded: `for=192.0.2.9;host=${FOREIGN};proto=ftp`,
  'x-original-url': `/${FOREIGN}`,
  'x-rewrite-url': `/${FOREIGN}`,
  'x-http-method-override': 'DELETE',
};

/** A `Host` field of another site. */
export const HOSTILE_HOST = FOREIGN;

export interface JudgedAnswer {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/**
 * The faults of an answer, of any status, to a request with {@link HOSTILE_FIELDS}.
 * @param maySave whether a shared cache may keep the answer
 * @returns rules that the answer breaks
 */
export function answerFaults({ headers, text }: JudgedAnswer, maySave: boolean): readonly string[] {
  const field = (name: string): string => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  const rules: readonly (readonly [string, boolean])[] = [
    ['an address of the request is repeated', !`${JSON.stringify(headers)}${text}`.includes(FOREIGN)],
    ['it must not be framed', /frame-ancestors 'none'/.test(field('content-security-policy'))],
    ['its type must not be guessed', field('x-content-type-options') === 'nosniff'],
    ['a shared cache must not keep it', maySave || /\b(no-store|private)\b/.test(field('cache-control'))],
    ['a cacheable answer must not set a cookie', !maySave || headers['set-cookie'] === undefined],
    ['no page of another site may read it with credentials', !('access-control-allow-credentials' in headers)],
    ['its server must not be named', !('x-powered-by' in headers) && !('server' in headers)],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}
