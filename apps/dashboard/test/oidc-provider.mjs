// A real OpenID Connect provider. Who signs in is stated by the header X-Person; prints its issuer when it listens.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [redirectUri = '', clientId = '', clientSecret = ''] = process.argv.slice(2);
const people = new Map();
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  cookies: { keys: ['a key of the tests'] },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  findAccount: (_ctx, sub) => (people.has(sub) ? { accountId: sub, claims: () => people.get(sub) } : undefined),
  loadExistingGrant: async (ctx) => {
    const grant = new provider.Grant({ clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});
const handle = provider.callback();

server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) {
    handle(request, response);
    return;
  }
  const person = JSON.parse(request.headers['x-person'] ?? 'null');
  if (person !== null) people.set(person.sub, person);
  const result =
    person === null
      ? { error: 'access_denied', error_description: 'the account was removed' }
      : { login: { accountId: person.sub } };
  provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false }).catch((error) => {
    response.writeHead(500).end(String(error));
  });
});
process.stdout.write(`${issuer}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
