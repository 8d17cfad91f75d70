import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evaluateCer, evaluateProject, toNodeVerifyResponse, toProjectVerifyResponse } from '@cer/cer-core/verify';
import { checkArtefact, readKeySet } from '../src/check/check-artefact.js';
import type { ArtefactCheck } from '../src/check/check-result.js';
import { readArtefact } from '../src/check/read-artefact.js';
import { createOpensslTsa, type OpensslTsa } from '@cer/timestamps/testing';
import { pinKeyHistory } from '../src/check/pin-key-history.js';
import { describeInChromium } from './chromium.js';
import { Files } from './files.js';
import { historyAfterRevocation, nodeHistory } from './key-history.js';
import { changed, plain } from './records.js';
import { timestamped } from './timestamped.js';
import { AT, checkAll, OPEN_WORKER, requestOf, siteChecks } from './offline-worker.js';
import { BYTE_ORDER_MARK, unpackVectors, type Vector } from './vectors.js';
import { WEB_BUILD_FOLDER } from './verifier-under-test.js';

// One bundle, one verdict: on the site, in the offline file, on the command line and from the node's verify route.

const folder = mkdtempSync(join(tmpdir(), 'cer-vectors-'));
const vectors = unpackVectors(folder);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The members that every report must agree on; verifier and time differ. */
function essence(report: Readonly<Record<string, unknown>>): unknown {
  const { status, checks, reasonCodes, certificateHash, bundleType, contentMode } = report;
  return { status, checks, reasonCodes, certificateHash, bundleType, contentMode };
}

interface CliResult {
  readonly exit: number;
  readonly stdout: string;
}

/** Runs command lines, one JSON array of arguments each, with a separate state folder. */
function runCli(lines: readonly string[]): CliResult[] {
  const state = new Files();
  const cli = pathToFileURL(join(__dirname, '..', '..', 'cli', 'dist', 'run.js')).href;
  const { stdout } = spawnSync(process.execPath, [join(__dirname, 'run-cli.mjs'), cli, state.folder], {
    input: lines.join('\n'),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  state.remove();
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CliResult);
}

function statusOfFile({ name, status }: Vector): string {
  return name === BYTE_ORDER_MARK ? 'VERIFIED' : (status ?? 'FAILED');
}

describe('the verdicts on all vectors', () => {
  let site: Map<string, ArtefactCheck>;

  beforeAll(async () => {
    site = await siteChecks(vectors);
  });

  function siteReport({ name }: Vector): Readonly<Record<string, unknown>> {
    return { ...site.get(name)?.report };
  }

  it('covers many vectors', () => {
    expect(vectors.length).toBeGreaterThan(100);
  });

  it('match the vectors', () => {
    // A page recognizes a project, and never verifies it as a certificate.
    const fitting = vectors.filter(({ name, kind }) => kind === 'project' || site.get(name)?.kind === 'certificate');
    const found = fitting.map((vector) => [vector.name, siteReport(vector)['status']]);
    expect(found).toEqual(fitting.map((vector) => [vector.name, statusOfFile(vector)]));
  });

  it('are the same on the command line', () => {
    const lines = vectors.map(({ bundlePath, keySetPath }) =>
      JSON.stringify(['verify', bundlePath, '--json', ...(keySetPath === null ? [] : ['--keys', keySetPath])]),
    );
    const results = runCli(lines);
    expect(results).toHaveLength(vectors.length);
    const cliEssence = results.map(({ exit, stdout: report }, index) => {
      const name = vectors[index]?.name;
      if (exit === 3) return { name, exit };
      return { name, exit, ...Object(essence(JSON.parse(report) as Readonly<Record<string, unknown>>)) } as unknown;
    });
    const siteEssence = vectors.map((vector) => {
      const { name, refused } = vector;
      // Text that is not JSON is a usage error on a command line, and a failed file on a page.
      if (refused === 'JSON_SYNTAX' && name !== BYTE_ORDER_MARK) return { name, exit: 3 };
      const report = siteReport(vector);
      return { name, exit: report['status'] === 'FAILED' ? 1 : 0, ...Object(essence(report)) } as unknown;
    });
    expect(cliEssence).toEqual(siteEssence);
  });

  it('are the same from the verify route', async () => {
    for (const vector of vectors) {
      const check = site.get(vector.name);
      const artefact = readArtefact(vector.bundle);
      if (artefact.kind === 'unreadable') {
        expect(check?.status).toBe('FAILED');
        continue;
      }
      const options = { keySet: vector.keySet === null ? null : readKeySet(vector.keySet), verifiedAt: AT };
      if (artefact.kind === 'project') {
        const { steps, ...answer } = toProjectVerifyResponse(await evaluateProject(artefact.value, options));
        expect([vector.name, check?.nodeResponse, steps.length]).toEqual([
          vector.name,
          answer,
          check?.kind === 'project' ? check.steps.length : -1,
        ]);
      } else {
        const answer = toNodeVerifyResponse(await evaluateCer(artefact.value, options));
        expect([vector.name, check?.nodeResponse]).toEqual([vector.name, answer]);
        expect(answer.status === 'verified').toBe(check?.status !== 'FAILED');
      }
    }
  });
});

describe('the verdicts under pinned root and time authorities', () => {
  const files = new Files();
  let tsa: OpensslTsa;

  beforeAll(() => {
    tsa = createOpensslTsa();
  });

  afterAll(() => {
    tsa.remove();
    files.remove();
  });

  it('are the same on the command line, with timestamps', async () => {
    const record = await timestamped(await plain(), tsa);
    const pem = files.write('roots.pem', tsa.rootPem);
    const cases = [
      [record, nodeHistory(), null],
      [record, nodeHistory(), pem],
      [record, historyAfterRevocation(), pem],
      [changed(record, ['snapshot', 'model'], 'other'), nodeHistory(), pem],
    ] as const;
    const lines: string[] = [];
    const site: unknown[] = [];
    for (const [index, [bundle, history, roots]] of cases.entries()) {
      const { rootFingerprint, nodeId } = history;
      const text = JSON.stringify(await history.signed());
      const pinned = await pinKeyHistory({ text, pin: { nodeId, rootFingerprint }, highestSeen: null, at: AT });
      if (!pinned.accepted) throw new Error(pinned.finding.code);
      const source = JSON.stringify(bundle);
      const keySource = { kind: 'file', where: 'history.json', at: AT, voucher: pinned.voucher } as const;
      const tsaRoots = roots === null ? null : tsa.rootPem;
      const request = {
        source,
        keySet: pinned.keySet,
        keySource,
        tsaRoots,
        logPolicy: null,
        askedHash: null,
        verifiedAt: AT,
      };
      const { report } = await checkArtefact(request, () => import('@cer/timestamps'));
      site.push({ ...Object(essence({ ...report })), ...timeIn(report, roots !== null) });
      const given = [files.write(`${index}.json`, source), '--history', files.write(`history-${index}.json`, text)];
      const chosen = roots === null ? [] : ['--tsa-roots', roots];
      lines.push(JSON.stringify(['verify', ...given, '--root', rootFingerprint, ...chosen, '--json']));
    }
    // Each with its own memory: the histories contradict each other, and a second one would be a fork.
    const cli = lines
      .flatMap((line) => runCli([line]))
      .map(({ stdout }, index) => {
        const report = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
        return { ...Object(essence(report)), ...timeIn(report, cases[index]?.[2] !== null) } as unknown;
      });
    expect(cli).toEqual(site);
    expect(site).toMatchObject([
      { status: 'VERIFIED' },
      { status: 'VERIFIED', timestamp: { status: 'verified' } },
      { status: 'FAILED', reasonCodes: expect.arrayContaining(['KEY_REVOKED']) },
      { status: 'FAILED' },
    ]);
  });

  /** Without roots the command line ignores tokens, and a page reports each as from an unchosen authority. */
  function timeIn(report: object, hasRoots: boolean): Readonly<Record<string, unknown>> {
    const { timestamp, keyRescue, revocationsKnownUntil } = report as Readonly<Record<string, unknown>>;
    return { revocationsKnownUntil, keyRescue, ...(hasRoots && { timestamp }) };
  }
});

describeInChromium('the verdicts of the built offline file', (chromium) => {
  beforeAll(() => chromium.start());
  afterAll(() => chromium.stop());

  it('are the same in its worker, on every vector', async () => {
    const watched = await chromium.open();
    const built = join(WEB_BUILD_FOLDER, 'offline.html');
    await watched.page.goto(pathToFileURL(built).href);
    await watched.page.evaluate(OPEN_WORKER);
    const requests = vectors.map(requestOf);
    const found = (await watched.page.evaluate(checkAll(requests))) as ArtefactCheck[];
    const site = await siteChecks(vectors);
    expect(found.map((check, index) => [vectors[index]?.name, check])).toEqual(
      vectors.map(({ name }) => [name, site.get(name)]),
    );
    expect(readFileSync(built, 'utf8')).toContain('id="verifier"');
    await watched.close();
  });
});
