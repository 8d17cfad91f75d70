import { visibleMessage } from '../run/visible-message.js';
import type { ProcessReport } from './messages.js';

const HEX_DIGEST = /^[0-9a-f]{64}$/;
const MAX_MESSAGE_CHARACTERS = 2200;

/** Reads a line that a process wrote. @returns undefined for anything but a report: the process may be broken */
export function readReport(line: string): ProcessReport | undefined {
  const value = parsed(line);
  switch (value['kind']) {
    case 'memory':
      return { kind: 'memory' };
    case 'frame':
      return isDigest(value['hash']) ? { kind: 'frame', hash: value['hash'] } : undefined;
    case 'picture': {
      const { outputHash, imageHash } = value;
      return isDigest(outputHash) && isDigest(imageHash) ? { kind: 'picture', outputHash, imageHash } : undefined;
    }
    case 'fault':
      return faultIn(value['fault']);
    default:
      return undefined;
  }
}

function faultIn(value: unknown): ProcessReport | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, message, line } = value as Readonly<Record<string, unknown>>;
  if ((code !== 'RENDER_ERROR' && code !== 'PROTOCOL_VIOLATION') || typeof message !== 'string') return undefined;
  if (message.length > MAX_MESSAGE_CHARACTERS) return undefined;
  return {
    kind: 'fault',
    fault: { code, message: visibleMessage(message), ...(typeof line === 'number' && { line }) },
  };
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && HEX_DIGEST.test(value);
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
