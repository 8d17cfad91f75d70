import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SketchInput } from '../drawing/sketch-api.js';
import { readScript } from '../files/scripts.js';
import type { SketchFault } from '../run/sketch-fault.js';
import { networkWall, permissionFlags, SEARCH_PATH } from './confinement.js';
import type { ProcessFile, ProcessOrder } from './messages.js';
import { readReport } from './read-report.js';

/** A sketch to draw again. */
export interface Redrawing {
  readonly code: string;
  readonly input: SketchInput;
  /** The packed engine. */
  readonly engine: Uint8Array;
  readonly limits: RedrawLimits;
  /** Draw also where this machine cannot keep the process off the network. */
  readonly allowNetwork: boolean;
  /** @param hash of the frame, 64 hex digits */
  readonly onFrame?: (index: number, hash: string) => void;
}

export interface RedrawLimits {
  /** From the start of the process, in milliseconds. */
  readonly timeMs: number;
  /** Maximum resident memory of the process, in bytes. */
  readonly memoryBytes: number;
}

/** The result. Hashes are 64 hex digits: of the pixels or the animation, and of the PNG of the first frame. */
export type Redrawn =
  | { readonly kind: 'picture'; readonly outputHash: string; readonly imageHash: string }
  | { readonly kind: 'fault'; readonly fault: SketchFault }
  | { readonly kind: 'ended'; readonly by: 'time' | 'memory' | 'crash' };

/** This machine cannot keep the process of a sketch off the network. */
export class NetworkNotWithheld extends Error {
  override readonly name = 'NetworkNotWithheld';
}

/**
 * Draws a sketch in a process that holds no file, no environment and no network, in a realm without any object of
 * Node.js, and ends the process.
 * @throws NetworkNotWithheld, and errors of starting the process
 */
export async function redraw(order: Redrawing): Promise<Redrawn> {
  const wall = networkWall();
  if (wall.kind === 'none' && !order.allowNetwork)
    throw new NetworkNotWithheld('this machine has no means to keep a process off the network');
  const program = await readScript('sketch-process');
  const scripts = await Promise.all(
    SCRIPTS.map(async (name) => ({ name, bytes: Buffer.from(await readScript(name)) })),
  );
  const [command, ...args] = [...wall.prefix, process.execPath, ...permissionFlags(), '--eval', program];
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: SEARCH_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return converse(child, order, [...scripts, { name: 'engine', bytes: order.engine }]);
}

const SCRIPTS = ['sketch-thread', 'pin-language', 'redraw-world'] as const;

type Files = readonly { readonly name: ProcessFile; readonly bytes: Uint8Array }[];

async function converse(child: ChildProcess, order: Redrawing, files: Files): Promise<Redrawn> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the process has no pipes');
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
  });
  // An early end is reported by the exit.
  stdin.on('error', () => undefined);
  const late = new AbortController();
  const deadline = setTimeout(() => {
    late.abort();
    child.kill('SIGKILL');
  }, order.limits.timeMs);
  try {
    for (const part of partsOf(order, files)) stdin.write(part);
    stdin.end();
    const result = await Promise.race([readReports(stdout, order), failed]);
    return result ?? { kind: 'ended', by: late.signal.aborted ? 'time' : 'crash' };
  } finally {
    clearTimeout(deadline);
    child.kill('SIGKILL');
  }
}

function partsOf({ code, input, limits }: Redrawing, files: Files): readonly Uint8Array[] {
  const order: ProcessOrder = {
    code,
    input,
    maxBytes: limits.memoryBytes,
    files: files.map(({ name, bytes }) => ({ name, bytes: bytes.length })),
  };
  const head = Buffer.from(JSON.stringify(order));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return [length, head, ...files.map(({ bytes }) => bytes)];
}

/** @returns undefined where the process ended without a result */
async function readReports(stdout: NodeJS.ReadableStream, order: Redrawing): Promise<Redrawn | undefined> {
  let frames = 0;
  for await (const line of createInterface({ input: stdout })) {
    const report = readReport(line);
    if (report === undefined) return { kind: 'ended', by: 'crash' };
    if (report.kind === 'memory') return { kind: 'ended', by: 'memory' };
    if (report.kind !== 'frame') return report;
    order.onFrame?.(frames++, report.hash);
  }
  return undefined;
}
