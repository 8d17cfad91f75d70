import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { isJsonObject, jcsV1, member, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { checkContent } from '@cer/cer-core/verify';

import { certificates, type Certificates, type CertificatesOptions } from '../src/index.js';
import { startModelServer, type ModelHandler, type ModelServer } from './model-server.js';

/** Nothing listens there. */
export const NODE_DOWN = 'http://127.0.0.1:9';

/** A program that calls models of a local server, and the spool of its certificates. No node is there. */
export class ObservedProgram {
  readonly dir = mkdtempSync(join(tmpdir(), 'cer-client-'));
  readonly faults: unknown[] = [];
  readonly cer: Certificates;
  readonly server: ModelServer;

  static async start(handler: ModelHandler, options: Partial<CertificatesOptions> = {}): Promise<ObservedProgram> {
    return new ObservedProgram(await startModelServer(handler), options);
  }

  private constructor(server: ModelServer, options: Partial<CertificatesOptions>) {
    this.server = server;
    const onError = (error: unknown): void => void this.faults.push(error);
    this.cer = certificates({ appId: 'tests', nodeUrl: NODE_DOWN, spoolDir: this.dir, onError, ...options });
  }

  /** The faults of observers: that no node is there is none. */
  observerFaults(): unknown[] {
    return this.faults.filter((fault) => !String(fault).includes('the node cannot be reached'));
  }

  /** The sealed bundles in the spool, oldest first, each with a valid content. */
  spooled(): JsonObject[] {
    return readdirSync(this.dir)
      .filter((name) => /^\d.*\.ndjson$/.test(name))
      .flatMap((name) => readFileSync(join(this.dir, name), 'utf8').trimEnd().split('\n'))
      .map((line) => objectIn(parseJson(line), 'bundle'));
  }

  /** Every byte that is stored. */
  stored(): string {
    return readdirSync(this.dir)
      .map((name) => readFileSync(join(this.dir, name), 'utf8'))
      .join('');
  }

  calls(): ObservedCall[] {
    return this.spooled()
      .filter((bundle) => member(bundle, 'bundleType') !== 'cer.project.bundle.v1')
      .map(callOf);
  }

  projects(): JsonObject[] {
    return this.spooled().filter((bundle) => member(bundle, 'bundleType') === 'cer.project.bundle.v1');
  }

  async end(): Promise<void> {
    await this.cer.close({ timeoutMs: 0 });
    await this.server.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export interface ObservedCall {
  readonly bundle: JsonObject;
  readonly snapshot: JsonObject;
  readonly payload: JsonObject;
}

function callOf(bundle: JsonObject): ObservedCall {
  const { findings } = checkContent(bundle);
  if (findings.length > 0) throw new Error(`the bundle has faults: ${JSON.stringify(findings)}`);
  const { signals } = objectIn(bundle, 'context');
  return {
    bundle,
    snapshot: objectIn(bundle, 'snapshot'),
    payload: objectIn((signals as readonly JsonValue[])[0], 'payload'),
  };
}

export function objectIn(value: JsonValue | undefined, name: string): JsonObject {
  const found = isJsonObject(value) ? member(value, name) : undefined;
  if (!isJsonObject(found)) throw new Error(`no object ${name}`);
  return found;
}

/** The hash of a value under 1.3.0. */
export const hashOf = (value: unknown): string => hashValue(parseJson(JSON.stringify(value)), jcsV1, 'value');

/** Collects garbage until something is true; without the end of the test it waits for ever. */
export async function collected(isTrue: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  while (!isTrue()) {
    collect();
    await setTimeout(5);
  }
}

export async function readAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
