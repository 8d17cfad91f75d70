import {
  altered,
  bodied,
  encoded,
  foreign,
  foreignText,
  headed,
  hmac,
  pem,
  resigned,
  respelled,
  signedToken,
  stating,
  unsigned,
  type Attack,
} from './token-forgery.js';

const P256_ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
const LATER_S = 10 * 365 * 86_400;
const nowS = (): number => Math.floor(Date.now() / 1000);

const ALGORITHMS: readonly (readonly [string, Attack])[] = [
  ...['none', 'None', 'NONE', 'nOnE', '', ' none'].map(
    (alg) => [`alg ${JSON.stringify(alg)}`, unsigned({ alg })] as const,
  ),
  ['alg none with the signature of the token', (token) => unsigned({ alg: 'none' })(token) + 'AAAA'],
  ['no alg', unsigned({ alg: undefined })],
  ['alg null', foreign({ alg: null })],
  ['alg a number', foreign({ alg: 256 })],
  ['alg a list', foreign({ alg: ['ES256', 'RS256'] })],
  ['alg an object', foreign({ alg: { name: 'ES256' } })],
  ['alg of another family', foreign({ alg: 'EdDSA' })],
  ['alg of another hash', foreign({ alg: 'ES384' })],
  ['alg of another padding', foreign({ alg: 'PS256' })],
  ['alg in lower case', foreign({ alg: 'es256' })],
  ['HS256 with the public key as PEM', hmac('HS256', pem)],
  ['HS384 with the public key as PEM', hmac('HS384', pem)],
  ['HS512 with the public key as PEM', hmac('HS512', pem)],
  ['HS256 with the PEM without its last line break', hmac('HS256', (key) => String(pem(key)).trimEnd())],
  ['HS256 with the public key as DER', hmac('HS256', (key) => key.export({ format: 'der', type: 'spki' }))],
  ['HS256 with the public key as JWK', hmac('HS256', (key) => JSON.stringify(key.export({ format: 'jwk' })))],
  ['HS256 with an empty secret', hmac('HS256', () => '')],
  ['HS256 with the secret "secret"', hmac('HS256', () => 'secret')],
];

const KEYS: readonly (readonly [string, Attack])[] = [
  ['a known kid and another key', foreign({})],
  ...[
    '../../../../dev/null',
    "x' UNION SELECT 'key' --",
    'file:///etc/passwd',
    '|/usr/bin/id',
    '__proto__',
    'constructor',
    '\0',
    '',
    'x'.repeat(1000),
  ].map((kid) => [`kid ${JSON.stringify(kid.slice(0, 30))}`, foreign({ kid })] as const),
  ['kid an address', foreign(({ lure }) => ({ kid: `${lure}/key.pem` }))],
  ['kid a number', foreign({ kid: 0 })],
  ['kid null', foreign({ kid: null })],
  ['kid a list', foreign(({ header }) => ({ kid: [header['kid']] }))],
  ['kid an object', foreign({ kid: { toString: 'one' } })],
  ['no kid', foreign({ kid: undefined })],
  ['its own key in jwk', foreign((_, own) => ({ jwk: own.export({ format: 'jwk' }) }))],
  ['its own key in jwk, no kid', foreign((_, own) => ({ kid: undefined, jwk: own.export({ format: 'jwk' }) }))],
  ['its own keys behind jku', foreign(({ lure }) => ({ jku: `${lure}/jwks.json` }))],
  ['its own keys behind jku, no kid', foreign(({ lure }) => ({ kid: undefined, jku: `${lure}/jwks.json` }))],
  ['its own certificate behind x5u', foreign(({ lure }) => ({ x5u: `${lure}/chain.pem` }))],
  [
    'its own key in x5c',
    foreign((_, own) => ({ x5c: [own.export({ format: 'der', type: 'spki' }).toString('base64')] })),
  ],
  ['its own thumbprint in x5t', foreign({ x5t: 'A'.repeat(27) })],
];

const HEADERS: readonly (readonly [string, Attack])[] = [
  ['an unknown critical extension', headed({ crit: ['exp2'], exp2: 1 })],
  ['an empty list of critical extensions', foreign({ crit: [] })],
  ['critical extensions that are not a list', headed({ crit: 'exp' })],
  ['b64 false, critical', headed({ crit: ['b64'], b64: false })],
  [
    'b64 false, the claims signed as they are',
    ({ header, claims, key }) => {
      const head = encoded({ ...header, b64: false, crit: ['b64'] });
      const signature = signedToken(head, JSON.stringify(claims), key).replace(/^.*\./s, '');
      return `${head}.${encoded(claims)}.${signature}`;
    },
  ],
  ['alg twice, none last', foreignText((text) => text.replace(/}$/, ',"alg":"none"}'))],
  ['alg twice, none first', foreignText((text) => text.replace(/^{/, '{"alg":"none",'))],
  ['kid twice', foreignText((text) => text.replace(/}$/, ',"kid":"other"}'))],
  ['a header that is a list', foreignText((text) => `[${text}]`)],
  ['a header that is null', foreignText(() => 'null')],
  ['a header that is not JSON', foreignText((text) => text.slice(1))],
  ['a header with a byte order mark', foreignText((text) => `\ufeff${text}`)],
  [
    'a header that nests 2,000 deep',
    foreignText((text) => text.replace(/}$/, `,"a":${'['.repeat(2000)}${']'.repeat(2000)}}`)),
  ],
  ['a header with __proto__', foreignText((text) => text.replace(/}$/, ',"__proto__":{"alg":"none"}}'))],
];

const SIGNATURES: readonly (readonly [string, Attack])[] = [
  ['no signature', resigned(() => Buffer.alloc(0))],
  ['a signature of zeros', resigned(({ length }) => Buffer.alloc(length))],
  ['a signature of ones', resigned(({ length }) => Buffer.alloc(length, 0xff))],
  ['the order of P-256 twice as a signature', resigned(() => Buffer.concat([P256_ORDER, P256_ORDER]))],
  ['an r of zero', resigned((whole) => Buffer.concat([Buffer.alloc(32), whole.subarray(32)]))],
  ['an s of zero', resigned((whole) => Buffer.concat([whole.subarray(0, 32), Buffer.alloc(32)]))],
  ['a signature without its last byte', resigned((whole) => whole.subarray(0, -1))],
  ['a signature with one byte more', resigned((whole) => Buffer.concat([whole, Buffer.alloc(1)]))],
  ['a signature that is doubled', resigned((whole) => Buffer.concat([whole, whole]))],
  [
    'one bit of the signature changed',
    resigned((whole) => Buffer.from(whole.map((byte, at) => (at === 9 ? byte ^ 1 : byte)))),
  ],
  ['the signature of other claims', altered],
  ['two parts', respelled((token) => token.split('.').slice(0, 2).join('.'))],
  ['four parts', respelled((token) => `${token}.AAAA`)],
  ['five parts, as if encrypted', respelled((token) => `${token}.AAAA.AAAA`)],
  ['only dots', () => '..'],
  ['100,000 dots', () => '.'.repeat(100_000)],
  ['a scheme before it', respelled((token) => `Bearer ${token}`)],
  [
    'JSON serialization, flattened',
    respelled((token) => {
      const [head, payload, signature] = token.split('.');
      return JSON.stringify({ protected: head, payload, signature });
    }),
  ],
];

const CLAIMS: readonly (readonly [string, Attack])[] = [
  ['expired', stating({ iat: 1_000, exp: 1_090 })],
  ['no exp', stating({ exp: undefined })],
  ['exp null', stating({ exp: null })],
  ['exp as text', stating({ exp: String(LATER_S * 100) })],
  ['exp negative', stating({ exp: -1 })],
  ['exp a list', stating({ exp: [LATER_S * 100] })],
  ['not valid yet', (token) => stating({ nbf: nowS() + LATER_S })(token)],
  ['nbf as text', stating({ nbf: '0' })],
  ['no iat', stating({ iat: undefined })],
  ['iat as text', stating({ iat: '0' })],
  ['another audience', stating({ aud: 'another' })],
  ['no audience', stating({ aud: undefined })],
  ['an empty audience', stating({ aud: '' })],
  ['an empty list of audiences', stating({ aud: [] })],
  ['an audience that is null', stating({ aud: null })],
  [
    'an audience with the right one in it',
    ({ claims, ...token }) => stating({ aud: `x ${String(claims['aud'])}` })({ claims, ...token }),
  ],
  ['another issuer', stating({ iss: 'https://elsewhere.example' })],
  ['no issuer', stating({ iss: undefined })],
  [
    'an issuer with a slash more',
    ({ claims, ...token }) => stating({ iss: `${String(claims['iss'])}/` })({ claims, ...token }),
  ],
  [
    'an issuer with a suffix',
    ({ claims, ...token }) => stating({ iss: `${String(claims['iss'])}.example` })({ claims, ...token }),
  ],
  ['an issuer in a list', ({ claims, ...token }) => stating({ iss: [claims['iss']] })({ claims, ...token })],
  ['no subject', stating({ sub: undefined })],
  ['a subject that is not text', stating({ sub: { id: 1 } })],
  ['an empty subject', stating({ sub: '' })],
  ...['', 'null', '[]', '{}', '5', '"text"', '{', '{"sub":"a"}}'].map(
    (body) => [`claims ${JSON.stringify(body)}`, bodied(body)] as const,
  ),
  [
    'claims of a megabyte, signed by another key',
    (token) => foreign({})({ ...token, claims: { ...token.claims, pad: 'x'.repeat(2 ** 20) } }),
  ],
];

/** Attacks on a check of tokens by name; every one must be refused. */
export const JWT_ATTACKS: readonly (readonly [name: string, attack: Attack])[] = [
  ...ALGORITHMS,
  ...KEYS,
  ...HEADERS,
  ...SIGNATURES,
  ...CLAIMS,
];

const padding = (text: string): string => '='.repeat((4 - (text.length % 4)) % 4);
/** The token of the issuer, spelled otherwise: a service refuses it, or reads it as the same token. */
export const JWT_SPELLINGS: readonly (readonly [name: string, attack: Attack])[] = [
  [
    'every part with its padding',
    respelled((token) =>
      token
        .split('.')
        .map((part) => part + padding(part))
        .join('.'),
    ),
  ],
  ['padding behind the signature', respelled((token) => token + padding(token.split('.')[2] ?? ''))],
  ['four signs of padding', respelled((token) => `${token}====`)],
  ['base64 in place of base64url', respelled((token) => token.replaceAll('-', '+').replaceAll('_', '/'))],
  ['a line break in the signature', respelled((token) => `${token.slice(0, -9)}\n${token.slice(-9)}`)],
  ['a space behind it', respelled((token) => `${token} `)],
  ['a sign that base64 skips', respelled((token) => `${token.slice(0, -9)}*${token.slice(-9)}`)],
];
