// Journeys that are refused.
import { gzipSync } from 'node:zlib';
import { CERTIFY, execution } from './journey.mjs';

/** [id, heading, rule, journey]; a journey returns what was seen and what must have been: {name: [seen, expected]} */
export const REFUSALS = [
  [
    'depth',
    'Strict JSON',
    'Deeper text is refused at once.',
    async (api) => {
      const nested = (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
      const of = (levels) => api.postText(CERTIFY, JSON.stringify(execution()).replace('"in"', nested(levels)));
      return {
        allowed: [(await of(96)).status, 200],
        deeper: [(await of(97)).status, 400],
        hostile: [(await of(1_000_000)).status, 400],
      };
    },
  ],
  [
    'duplicate_fail',
    'Strict JSON',
    'A duplicate member is 400 VALIDATION_ERROR.',
    async (api) => {
      const { status, body } = await api.postText(
        CERTIFY,
        JSON.stringify(execution()).replace('{', '{"\\u006dodel":"a",'),
      );
      return {
        status: [status, 400],
        error: [body.error, 'VALIDATION_ERROR'],
        names: [body.message.includes('model'), true],
      };
    },
  ],
  [
    'not-utf-8_fail',
    'Strict JSON',
    'Bytes that are not UTF-8 are 400.',
    async (api) => ({
      latin: [
        (await api.postText(CERTIFY, Buffer.from(JSON.stringify(execution({ input: 'é' })), 'latin1'))).status,
        400,
      ],
      mark: [(await api.postText(CERTIFY, `\ufeff${JSON.stringify(execution())}`)).status, 400],
    }),
  ],
  [
    'faults-at-once_fail',
    'Refusals of content',
    'Every fault is in details, and no value.',
    async (api) => {
      const { status, body, text } = await api.certify({
        ...execution(),
        provider: 17,
        model: '',
        input: false,
        secret: 'private-value',
      });
      return {
        status: [status, 400],
        count: [body.details.length >= 3, true],
        joined: [body.message, body.details.join(';')],
        value: [text.includes('private-value'), false],
      };
    },
  ],
  [
    'protocol_fail',
    'Protocol versions',
    'An unsupported protocol is 400.',
    async (api) => ({ status: [(await api.certify(execution({ protocolVersion: '2.0.0' }))).status, 400] }),
  ],
  [
    'surrogate_fail',
    'Refusals of content',
    'A value without canonical form under jcs-v1 is 422.',
    async (api) => {
      const { status, body } = await api.certify(
        execution({ protocolVersion: '1.3.0', parameters: { note: '\ud800' } }),
      );
      return { status: [status, 422], error: [body.error, 'PROTOCOL_SCHEMA_UNSATISFIED'] };
    },
  ],
  [
    'no-key_fail',
    'Authentication',
    'A keyed route without a key is 401.',
    async (api) => {
      const { status, body } = await api.send('POST', CERTIFY, JSON.stringify(execution()), {
        'content-type': 'application/json',
      });
      return { status: [status, 401], error: [body.error, 'UNAUTHORIZED'] };
    },
  ],
  [
    'wrong-key_fail',
    'Authentication',
    'Malformed and unknown keys and other schemes are 401.',
    async (api) => {
      const status = async (authorization) =>
        (await api.postText(CERTIFY, JSON.stringify(execution()), { authorization })).status;
      return {
        unknown: [await status(`Bearer cer_live_${'x'.repeat(43)}`), 401],
        malformed: [await status('Bearer x'), 401],
        basic: [await status('Basic eA=='), 401],
      };
    },
  ],
  [
    'scope_fail',
    'API keys',
    'A key without the scope is 403.',
    async (api) => {
      const { status, body } = await api.certify(execution(), api.renderOnlyKey);
      return { status: [status, 403], error: [body.error, 'FORBIDDEN'] };
    },
  ],
  [
    'path_fail',
    'CORS and routing',
    'Routing is strict.',
    async (api) => ({
      slash: [(await api.post(`${CERTIFY}/`, execution())).status, 404],
      upper: [(await api.post('/V1/cer/ai/certify', execution())).status, 404],
      none: [(await api.get('/none')).status, 404],
    }),
  ],
  [
    'method_fail',
    'Errors',
    'Another method is 405 with Allow.',
    async (api) => {
      const { status, headers, body } = await api.get(CERTIFY);
      return {
        status: [status, 405],
        allow: [headers.allow?.includes('POST'), true],
        error: [body.error, 'METHOD_NOT_ALLOWED'],
      };
    },
  ],
  [
    'media-type_fail',
    'Errors',
    'Another media type or coding is 415.',
    async (api) => ({
      text: [(await api.postText(CERTIFY, JSON.stringify(execution()), { 'content-type': 'text/plain' })).status, 415],
      coding: [(await api.postText(CERTIFY, JSON.stringify(execution()), { 'content-encoding': 'br' })).status, 415],
    }),
  ],
  [
    'too-large_fail',
    'Limits',
    'The limit counts unpacked bytes.',
    async (api) => {
      const { status, body } = await api.postText(
        CERTIFY,
        gzipSync(JSON.stringify(execution({ input: 'x'.repeat(11_000_000) }))),
        { 'content-encoding': 'gzip' },
      );
      return { status: [status, 413], error: [body.error, 'PAYLOAD_TOO_LARGE'] };
    },
  ],
  [
    'refusal-order_fail',
    'Refusal order',
    '404 before 405 before 401 before 403 before 415 before 400.',
    async (api) => {
      const status = async (method, path, headers) =>
        (await api.send(method, path, method === 'DELETE' ? undefined : '{', headers)).status;
      const renderOnly = { authorization: `Bearer ${api.renderOnlyKey}`, 'content-type': 'text/plain' };
      return {
        404: [await status('POST', '/none', {}), 404],
        405: [await status('DELETE', CERTIFY, {}), 405],
        401: [await status('POST', CERTIFY, { 'content-type': 'text/plain' }), 401],
        403: [await status('POST', CERTIFY, renderOnly), 403],
        415: [await status('POST', CERTIFY, { ...renderOnly, authorization: `Bearer ${api.apiKey}` }), 415],
      };
    },
  ],
  [
    'no-renderer_fail',
    'POST /api/render',
    'Without a renderer rendering is 503.',
    async (api) => {
      const { status, body } = await api.post('/api/render', { code: 'function setup() {}', seed: 'a', VAR: [] });
      return { status: [status, 503], error: [body.error, 'RENDERER_UNAVAILABLE'] };
    },
  ],
  [
    'request-id',
    'Errors',
    'Every refusal names its request.',
    async (api) => {
      const { body, headers } = await api.get('/none');
      return { id: [body.requestId, headers['x-request-id']], some: [typeof body.requestId, 'string'] };
    },
  ],
  [
    'header-injection_fail',
    'CORS and routing',
    'Nothing of a request becomes a header.',
    async (api) => {
      const { status, headers } = await api.get(`/v1/resolve/cer/${encodeURIComponent('sha256:x\r\nSet-Cookie: a=b')}`);
      return { status: [status, 400], cookie: [headers['set-cookie'], undefined] };
    },
  ],
];
