import { member, type JsonObject } from '@cer/canonical-json';
import { parseLogPolicy } from '@cer/tlog';
import { makeLeaf, publicOpening, receiptDigest, type LeafLabel } from '@cer/tlog/leaf';
import { TestLog, testPolicy, TestWitness } from '@cer/tlog/testing';
import { TEST_TIME } from '@cer/cer-core/testing';
import { hashOf, lookupAnswer, object, plain } from './records.js';
import type { SiteLogPolicy } from '../src/app.js';
import { certificatePath, type StubNode } from './stub-node.js';

const log = new TestLog('node.example/log');
const witnesses = [new TestWitness('w1.example'), new TestWitness('w2.example')];
const AT = Math.floor(new Date(TEST_TIME).getTime() / 1000) + 30;

/** The policy of the site under test: this log, and both of its witnesses. */
export function logPolicy(): SiteLogPolicy {
  const text = testPolicy([log], witnesses);
  return { text, policy: parseLogPolicy(text) };
}

/** A policy whose log holds nothing of the tests. */
export function otherLogPolicy(): string {
  return testPolicy([new TestLog('other.example/log')], witnesses);
}

/** A public record with the proof that its receipt is in the log. */
export interface LoggedRecord {
  readonly hash: string;
  readonly record: JsonObject;
  readonly proof: string;
  readonly checkpoint: string;
}

export async function loggedRecord(): Promise<LoggedRecord> {
  const certificate = await plain();
  const hash = hashOf(certificate);
  const attestation = object(object(certificate, 'meta'), 'attestation');
  const signature = member(attestation, 'signature');
  if (typeof signature !== 'string') throw new TypeError('the certificate is not signed');
  const label: LeafLabel = {
    ...{ appId: null, bundleType: null, kind: 'certificate', number: 1 },
    at: TEST_TIME,
    tenant: `sha256:${'0'.repeat(64)}`,
  };
  const leaf = makeLeaf(new Uint8Array(32).fill(5), receiptDigest(object(attestation, 'receipt'), signature), label);
  log.appendMany(700);
  const index = log.append(leaf.entry);
  log.appendMany(312);
  const checkpoint = await log.checkpoint(
    log.size,
    witnesses.map((witness) => [witness, AT]),
  );
  const proof = log.proof(index, checkpoint, publicOpening(leaf));
  return { hash, record: { ...lookupAnswer(certificate), logProofs: [{ proof }] }, proof, checkpoint };
}

/** Gives a stub node a log with the receipt of a certificate in it. @returns the hash of the certificate */
export async function publishLogged(node: StubNode): Promise<string> {
  const { hash, record, proof, checkpoint } = await loggedRecord();
  node.answers.set('/log/checkpoint', { text: checkpoint });
  node.answers.set(certificatePath(hash), { status: 200, body: record });
  node.answers.set(`/v1/log/proof?certificate_hash=${encodeURIComponent(hash)}`, { status: 200, body: { proof } });
  return hash;
}

/** @returns the path of the page that shows the proof of a logged certificate */
export async function publishLogProof(node: StubNode): Promise<string> {
  return `/log?certificate_hash=${encodeURIComponent(await publishLogged(node))}`;
}
