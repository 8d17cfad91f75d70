import { createHash, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { json, ok, parseJsonBody, createRouter, type Route } from '@cer/http-service';
import { newKeyPair, serve, silentLogger } from '@cer/http-service/process';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import jwt from 'jsonwebtoken';

export const SERVICE_TOKEN = 'service-token-of-the-tests';

/** Properties of a tenant in a test; absent members have defaults. */
export interface StubTenant {
  readonly tenantId: string;
  accountStatus?: 'active' | 'suspended';
  bridge?: boolean;
  minimumProtocol?: string;
  limits?: { readonly requestsPerMinute: number | null; readonly executionsPerMonth: number | null };
}

export interface StubUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** Of the users whom a test signs out. */
type EndOfSessions = { sessionsEndedAt?: string };

export interface HandoffKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A control plane with answers that a test sets, over real HTTP. */
export interface StubControlPlane {
  readonly url: string;
  /** While true, everything is answered 500. */
  isDown: boolean;
  /** Keys in the JWKS. */
  handoffKeys: HandoffKey[];
  /** Number of requests by path. */
  readonly asked: Map<string, number>;
  readonly usage: { readonly reportId: string; readonly items: readonly JsonObject[] }[];
  readonly newTenant: (members?: Partial<StubTenant>) => StubTenant;
  readonly newKey: (tenant: StubTenant, scopes?: readonly string[]) => string;
  readonly revoke: (key: string) => void;
  readonly newUser: (tenant: StubTenant) => StubUser;
  readonly removeUser: (user: StubUser) => void;
  readonly signOut: (user: StubUser, at: Date) => void;
  readonly close: () => Promise<void>;
}

const ALL_SCOPES = ['certify', 'render', 'register', 'ingest'];

export function newHandoffKey(): HandoffKey {
  const { privateKey, publicKey } = newKeyPair('ec');
  return { kid: randomUUID(), privateKey, publicKey };
}

export async function startStubControlPlane(): Promise<StubControlPlane> {
  const keys = new Map<string, { readonly tenant: StubTenant; readonly scopes: readonly string[] }>();
  const users = new Map<string, { readonly tenant: StubTenant; readonly user: StubUser } & EndOfSessions>();
  const account = (tenant: StubTenant): JsonObject => ({
    tenantName: `Tenant ${tenant.tenantId}`,
    accountStatus: tenant.accountStatus ?? 'active',
    plan: 'Standard',
    limits: { ...(tenant.limits ?? { requestsPerMinute: null, executionsPerMonth: null }) },
    entitlements: { bridge: tenant.bridge ?? true },
    settings: { minimumProtocol: tenant.minimumProtocol ?? '1.2.0' },
  });
  const text = (body: unknown, name: string): string => {
    const value = isJsonObject(body) ? member(body, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  const post = (path: string, answer: (body: JsonObject) => unknown): Route => ({
    method: 'POST',
    path,
    handler: async (request) => {
      count(path);
      if (stub.isDown) return json(500, { error: 'DOWN' });
      if (request.headers['authorization'] !== `Bearer ${SERVICE_TOKEN}`) return json(401, { error: 'UNAUTHORIZED' });
      const body = parseJsonBody(request);
      return ok(answer(isJsonObject(body) ? body : {}));
    },
  });
  const count = (path: string): void => {
    stub.asked.set(path, (stub.asked.get(path) ?? 0) + 1);
  };
  const routes: readonly Route[] = [
    post('/internal/v1/keys/introspect', (body) => {
      const found = keys.get(text(body, 'keyHash'));
      if (found === undefined) return { active: false };
      const { tenant, scopes } = found;
      const active = (tenant.accountStatus ?? 'active') === 'active';
      return { active, tenantId: tenant.tenantId, keyId: `key-of-${tenant.tenantId}`, scopes, ...account(tenant) };
    }),
    post('/internal/v1/sessions/introspect', (body) => {
      const found = users.get(text(body, 'sub'));
      if (found?.tenant.tenantId !== text(body, 'tenantId')) return { active: false };
      const active = (found.tenant.accountStatus ?? 'active') === 'active';
      const { user, sessionsEndedAt } = found;
      return { active, user, ...(sessionsEndedAt !== undefined && { sessionsEndedAt }), ...account(found.tenant) };
    }),
    post('/internal/v1/usage', (body) => {
      const items = member(body, 'items');
      stub.usage.push({ reportId: text(body, 'reportId'), items: Array.isArray(items) ? (items as JsonObject[]) : [] });
      return { ok: true };
    }),
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      handler: async () => {
        count('/.well-known/jwks.json');
        if (stub.isDown) return json(500, { error: 'DOWN' });
        return ok({
          keys: stub.handoffKeys.map(({ kid, publicKey }) => ({
            ...publicKey.export({ format: 'jwk' }),
            kid,
            use: 'sig',
            alg: 'ES256',
          })),
        });
      },
    },
  ];
  const logger = silentLogger();
  const server = await serve(createRouter(routes, { logger }), { host: '127.0.0.1', port: 0, logger });
  const stub: StubControlPlane = {
    url: server.url,
    isDown: false,
    handoffKeys: [newHandoffKey()],
    asked: new Map(),
    usage: [],
    newTenant: (members = {}) => ({ tenantId: randomUUID(), ...members }),
    newKey: (tenant, scopes = ALL_SCOPES) => {
      const key = `cer_live_${randomBytes(32).toString('base64url')}`;
      keys.set(createHash('sha256').update(key).digest('hex'), { tenant, scopes });
      return key;
    },
    revoke: (key) => {
      keys.delete(createHash('sha256').update(key).digest('hex'));
    },
    newUser: (tenant) => {
      const id = randomUUID();
      const user = { id, email: `${id}@example.com`, name: `User ${id.slice(0, 4)}` };
      users.set(id, { tenant, user });
      return user;
    },
    removeUser: ({ id }) => {
      users.delete(id);
    },
    signOut: ({ id }, at) => {
      const known = users.get(id);
      if (known === undefined) throw new Error('an unknown user');
      known.sessionsEndedAt = at.toISOString();
    },
    close: () => server.close(),
  };
  return stub;
}

/** A handoff token as the dashboard makes it; a test replaces members to make it invalid. */
export function handoffToken(
  stub: StubControlPlane,
  given: {
    readonly tenantId: string;
    readonly userId: string;
    readonly audience: string;
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, unknown>>;
    readonly key?: HandoffKey;
  },
): string {
  const key = given.key ?? stub.handoffKeys[0];
  if (key === undefined) throw new Error('the stub has no key');
  const iat = Math.floor(Date.now() / 1000);
  const claims: Record<string, unknown> = {
    iss: stub.url,
    aud: given.audience,
    sub: given.userId,
    tenant_id: given.tenantId,
    jti: randomUUID(),
    iat,
    exp: iat + 90,
    ...given.claims,
  };
  const kept = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return jwt.sign(kept, key.privateKey, {
    algorithm: 'ES256',
    header: { alg: 'ES256', typ: 'handoff+jwt', kid: key.kid, ...given.header },
  });
}
