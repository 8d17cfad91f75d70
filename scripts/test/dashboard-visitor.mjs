// A person at the dashboard of `npm start`, for tests that ask it without a browser.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { listening } from './listening.mjs';

const FORM = 'application/x-www-form-urlencoded';

/** Sends a request and follows nothing. @returns {Promise<{status: number, headers: object, text: string}>} */
async function ask(url, { method = 'GET', headers = {}, body = '' } = {}) {
  const asked = request(url, { method, headers, agent: false });
  asked.end(body);
  const [answer] = await once(asked, 'response');
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString('utf8') };
}

const cookiesOf = ({ headers }) => (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]);

function formTokenIn(text) {
  const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1];
  if (token === undefined) throw new Error('the page has no form');
  return token;
}

/**
 * Signs in the owner of the demo account.
 * @returns {Promise<{cookie: string, formToken: string, visitCookie: string, visitToken: string}>} cookies and the token of
 *   forms with a session, and of those without
 */
export async function signIn({ dashboard, owner }) {
  const page = await ask(`${dashboard.url}/sign-in`);
  const visit = cookiesOf(page);
  const visitToken = formTokenIn(page.text);
  const fields = new URLSearchParams({ ...owner, form_token: visitToken });
  const headers = { 'content-type': FORM, origin: dashboard.url, cookie: visit.join('; ') };
  const signedIn = await ask(`${dashboard.url}/sign-in`, { method: 'POST', headers, body: fields.toString() });
  if (signedIn.status !== 303) throw new Error(`the owner was not signed in: ${signedIn.status}`);
  const cookie = [...visit, ...cookiesOf(signedIn)].join('; ');
  const { text } = await ask(`${dashboard.url}/keys`, { headers: { cookie } });
  return { cookie, formToken: formTokenIn(text), visitCookie: visit.join('; '), visitToken };
}

/** Sends a form of the dashboard. */
async function send({ dashboard }, { cookie, formToken }, path, fields) {
  return ask(`${dashboard.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': FORM, origin: dashboard.url, cookie },
    body: new URLSearchParams({ ...fields, form_token: formToken }).toString(),
  });
}

/** The cookie of a session at the bridge, which the dashboard hands over. */
export async function bridgeSession(services, visitor) {
  const { bridge } = services;
  const { headers } = await send(services, visitor, '/integrations/connect', {});
  const token = /#handoff=(.+)$/.exec(headers.location ?? '')?.[1];
  const started = await ask(`${bridge.url}/api/v1/auth/handoff`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: bridge.url },
    body: JSON.stringify({ token }),
  });
  if (started.status !== 200) throw new Error(`the bridge started no session: ${started.status}`);
  return cookiesOf(started).join('; ');
}

/** Makes a key, a user and a shared link. @returns pairs: a pattern, and the replacement of its match in a path */
async function madeResources(services, visitor) {
  const { dashboard, node, apiKey } = services;
  const idsOf = async (page, pattern) => {
    const { text } = await ask(`${dashboard.url}${page}`, { headers: { cookie: visitor.cookie } });
    return [...text.matchAll(pattern)].map(([, id]) => id);
  };
  const made = async (page, pattern, fields) => {
    const before = new Set(await idsOf(page, pattern));
    const { text } = await send(services, visitor, page, fields);
    const id = (await idsOf(page, pattern)).find((found) => !before.has(found));
    if (id === undefined) throw new Error(`${page}: nothing was made`);
    return { id, text };
  };
  const hook = { url: 'https://hooks.example.com/tested', types: 'quota.reached' };
  const webhook = await made('/alerts', /\/alerts\/(wh_[^/"]+)"/g, hook);
  const removed = await made('/alerts', /\/alerts\/(wh_[^/"]+)"/g, hook);
  await send(services, visitor, `/alerts/${webhook.id}/test`, {});
  const [message] = await idsOf(`/alerts/${webhook.id}`, /\/messages\/([^/"]+)\/send/g);
  const key = await made('/keys', /\/keys\/([^/"]+)\/revoke/g, { name: 'tested', scopes: 'certify' });
  const user = await made('/users', /\/users\/([^/"]+)\/disable/g, {
    ...{ name: 'Tested', email: 'tested@example.org', role: 'member' },
  });
  const share = await made('/shares', /\/shares\/([^/"]+)\/revoke/g, { kind: 'set', target: '', days: '7' });
  const revoked = await made('/shares', /\/shares\/([^/"]+)\/revoke/g, { kind: 'set', target: '', days: '7' });
  const link = /\/link\/([\w-]{43})/.exec(user.text)?.[1];
  const token = /\/shared\/([A-Za-z0-9_-]+)/.exec(share.text)?.[1];
  const records = await ask(`${node.url}/v1/records?limit=1`, { headers: { authorization: `Bearer ${apiKey}` } });
  const hash = JSON.parse(records.text).records[0].certificateHash;
  return [
    [/^\/keys\/[^/?]+/, `/keys/${key.id}`],
    [/^\/users\/[^/?]+/, `/users/${user.id}`],
    [/^\/link\/[^/?]+/, `/link/${link}`],
    [/^\/shares\/(?!new\b)[^/?]+/, `/shares/${revoked.id}`],
    [/^\/shared\/[^/?]+/, `/shared/${token}`],
    // Not for the route that tests a webhook: with ten waiting messages it is 503.
    [/^\/alerts\/[^/?]+(?!.*(remove|test)$)/, `/alerts/${webhook.id}`],
    [/^\/alerts\/[^/?]+\/remove$/, `/alerts/${removed.id}/remove`],
    [/\/messages\/[^/?]+/, `/messages/${message}`],
    [/^\/reviews\/new.*/, `/reviews/new?certificate=${hash}`],
    [/\/(certificate|download)\/[^/?]+/, `/$1/${hash}`],
  ];
}

/**
 * A proxy that asks the dashboard as those who call it: pages as the owner, routes of services with their credential. It
 * puts the right token into each form, since another is refused before anything else is read, and into three of
 * four paths the id of something that exists.
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function startFront({ services, visitor, folder }) {
  const { dashboard } = services;
  const resources = await madeResources(services, visitor);
  const asked = new Map();
  const pathOf = (method, path) => {
    const place = `${method} ${path.split(/[/?]/)[1]}`;
    const before = asked.get(place) ?? 0;
    asked.set(place, before + 1);
    return before % 4 === 3 ? path : resources.reduce((text, [found, real]) => text.replace(found, real), path);
  };
  const serviceToken = readFileSync(join(folder, 'control-plane-token'), 'utf8').trim();
  const server = createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      const isForm = headers['content-type'] === FORM;
      const body = isForm ? withToken(Buffer.concat(chunks), url, visitor) : Buffer.concat(chunks);
      const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers;
      const passed = request(new URL(dashboard.url), {
        ...{ method, path: pathOf(method, url), agent: false },
        headers: {
          ...rest,
          ...{ host: new URL(dashboard.url).host, origin: dashboard.url },
          // Signing in again would end the session.
          cookie: isVisit(url) ? visitor.visitCookie : visitor.cookie,
          ...(url.startsWith('/internal/') && { authorization: `Bearer ${serviceToken}` }),
          ...(method !== 'GET' && { 'content-length': body.length }),
        },
      });
      passed.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', (error) => outgoing.destroy(error));
      passed.end(body);
    });
  });
  return listening(server);
}

/** Whether a person without a session asks. */
const isVisit = (url) => /^\/(sign-in|link)\b/.test(url);

function withToken(body, url, { formToken, visitToken }) {
  const fields = new URLSearchParams(body.toString('latin1'));
  fields.set('form_token', isVisit(url) ? visitToken : formToken);
  return Buffer.from(fields.toString());
}
