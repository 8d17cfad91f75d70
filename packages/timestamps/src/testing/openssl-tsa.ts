import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The flaw of a token: in its signing certificate or its digest. */
export type TsaFlaw = 'none' | 'expired' | 'two purposes' | 'uncritical purpose' | 'no purpose' | 'SHA-1';

/** A real timestamping authority: `openssl ts` with a root, an intermediate and a timestamping certificate. */
export interface OpensslTsa {
  readonly folder: string;
  /** PEM of the root. */
  readonly rootPem: string;
  /** PEM of the intermediate and the timestamping certificate, for `openssl ts -verify -untrusted`. */
  readonly chainFile: string;
  readonly rootFile: string;
  /** @param query DER of a request @returns DER of the response */
  reply(query: Uint8Array): Promise<Uint8Array>;
  /**
   * Signs a TSTInfo with a flaw that `openssl ts` does not produce.
   * @param makeTstInfo called after the certificate is issued, because the TSTInfo must not be older
   * @returns DER of the token
   */
  sign(makeTstInfo: () => Promise<Uint8Array>, flaw: TsaFlaw): Promise<Uint8Array>;
  /** OpenSSL's output on accepting the token for this SHA-256 digest; throws with its output otherwise. */
  accepts(token: Uint8Array, digest: Uint8Array): Promise<string>;
  remove(): void;
}

const CONFIG = `
[tsa]
default_tsa = own
[own]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1, millisecs:500, microsecs:100
ess_cert_id_chain = no
ess_cert_id_alg = sha256
clock_precision_digits = 3
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[intermediate]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
${Object.entries({
  stamping: 'critical, timeStamping',
  'two-purposes': 'critical, timeStamping, codeSigning',
  'uncritical-purpose': 'timeStamping',
  'no-purpose': null,
})
  .map(
    ([name, purpose]) => `[${name}]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
${purpose === null ? '' : `extendedKeyUsage = ${purpose}`}
`,
  )
  .join('')}`;

/** Per flaw: the certificate's extensions and its validity in days. */
const FLAWS: Readonly<Record<TsaFlaw, { readonly section: string; readonly days: string; readonly digest: string }>> = {
  none: { section: 'stamping', days: '3650', digest: 'sha256' },
  // Expired yesterday; OpenSSL issues timestamps with any certificate.
  expired: { section: 'stamping', days: '-1', digest: 'sha256' },
  'two purposes': { section: 'two-purposes', days: '3650', digest: 'sha256' },
  'uncritical purpose': { section: 'uncritical-purpose', days: '3650', digest: 'sha256' },
  'no purpose': { section: 'no-purpose', days: '3650', digest: 'sha256' },
  'SHA-1': { section: 'stamping', days: '3650', digest: 'sha1' },
};

/**
 * Creates an authority in a temporary folder.
 * @param options `name`: its common name; `key`: an algorithm of `openssl genpkey`; `days`: its validity
 */
export function createOpensslTsa(
  options: { readonly name?: string; readonly key?: 'rsa' | 'ec'; readonly days?: string } = {},
): OpensslTsa {
  const { name = 'Test TSA', key = 'ec', days: validFor = '3650' } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tsa-'));
  const path = (file: string): string => join(folder, file);
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  writeFileSync(path('tsa.cnf'), CONFIG);
  writeFileSync(path('serial'), '01\n');
  writeFileSync(path('empty.cnf'), '[req]\ndistinguished_name = dn\n[dn]\n');
  for (const part of ['root', 'intermediate', 'stamping']) {
    const algorithm =
      key === 'rsa'
        ? ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']
        : ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    openssl('genpkey', ...algorithm, '-out', `${part}.key`);
    const subject = `/O=Tests/CN=${part === 'stamping' ? name : `${name} ${part}`}`;
    openssl('req', '-new', '-config', 'empty.cnf', '-key', `${part}.key`, '-subj', subject, '-out', `${part}.csr`);
  }
  const extensions = (section: string): string[] => ['-extfile', 'tsa.cnf', '-extensions', section];
  openssl(
    'x509',
    '-req',
    '-in',
    'root.csr',
    '-signkey',
    'root.key',
    '-days',
    validFor,
    ...extensions('root'),
    '-out',
    'root.pem',
  );
  const issue = (part: string, issuer: string, section: string, days: string, file = part): void => {
    const by = ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial'];
    const life = ['-days', days, ...extensions(section)];
    openssl('x509', '-req', '-in', `${part}.csr`, ...by, ...life, '-out', `${file}.pem`);
  };
  issue('intermediate', 'root', 'intermediate', validFor);
  issue('stamping', 'intermediate', 'stamping', validFor);
  writeFileSync(
    path('chain.pem'),
    readFileSync(path('intermediate.pem'), 'utf8') + readFileSync(path('stamping.pem'), 'utf8'),
  );

  let asked = 0;
  // OpenSSL uses one serial file without a lock: one response at a time.
  let last: Promise<unknown> = Promise.resolve();
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  return {
    folder,
    rootPem: readFileSync(path('root.pem'), 'utf8'),
    chainFile: path('chain.pem'),
    rootFile: path('root.pem'),
    reply: (query) =>
      oneByOne(async () => {
        asked += 1;
        writeFileSync(path(`${asked}.tsq`), query);
        const signer = ['-signer', 'stamping.pem', '-inkey', 'stamping.key', '-chain', 'intermediate.pem'];
        const files = ['-queryfile', `${asked}.tsq`, '-out', `${asked}.tsr`];
        await run('openssl', ['ts', '-reply', '-config', 'tsa.cnf', ...signer, ...files], { cwd: folder });
        return new Uint8Array(readFileSync(path(`${asked}.tsr`)));
      }),
    sign: async (makeTstInfo, flaw) => {
      const { section, days, digest } = FLAWS[flaw];
      issue('stamping', 'intermediate', section, days, 'flawed');
      const tstInfo = await makeTstInfo();
      asked += 1;
      writeFileSync(path(`${asked}.tst`), tstInfo);
      const content = ['-econtent_type', 'id-smime-ct-TSTInfo', '-binary', '-nodetach', '-in', `${asked}.tst`];
      const signer = ['-signer', 'flawed.pem', '-inkey', 'stamping.key', '-certfile', 'intermediate.pem'];
      // With `-cades` the signature is bound to the certificate, as tokens require.
      const options = ['-cades', '-md', digest, '-outform', 'DER', '-out', `${asked}.tok`];
      await run('openssl', ['cms', '-sign', ...content, ...signer, ...options], { cwd: folder });
      return new Uint8Array(readFileSync(path(`${asked}.tok`)));
    },
    accepts: async (token, digest) => {
      asked += 1;
      writeFileSync(path(`${asked}.tst`), token);
      const what = ['-digest', Buffer.from(digest).toString('hex'), '-in', `${asked}.tst`, '-token_in'];
      const trust = ['-CAfile', 'root.pem', '-untrusted', 'chain.pem'];
      const { stdout, stderr } = await run('openssl', ['ts', '-verify', ...what, ...trust], { cwd: folder });
      return `${stdout}${stderr}`;
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
