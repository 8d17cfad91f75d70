import {
  INVALID_REQUEST,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PARSE_ERROR,
} from '@modelcontextprotocol/server';
import { byteLines } from '@cer/ndjson';
import type { Io } from '../io.js';
import { messageId } from './message-id.js';

/** Longest message, in bytes: the longest body of certify, and its JSON once more as the text of an argument. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const TOO_LONG = `A message has at most ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB. Pass the path of the file instead.`;
const NOT_JSON = 'A message must be one line of JSON.';
const NO_MESSAGE = 'A message must be a request, notification or response of JSON-RPC 2.0.';
const NO_BATCH = 'The version of MCP in use has no batches: send one message per line.';
/** The only version of MCP with batches; the server agrees to it. */
const VERSION_WITH_BATCHES = '2025-03-26';

/**
 * The messages of an agent, one line each. Anything else is answered here, because the transport would ignore it, or end the
 * server where it is too long. The answers to a batch are separate messages, which clients match by their ids.
 * @see https://www.jsonrpc.org/specification#error_object
 */
export async function* messagesOf(io: Io): AsyncGenerator<Buffer> {
  const refuse = (code: number, message: string, id: unknown = null): void => {
    io.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
    io.stderr.write(`cer: ${message}\n`);
  };
  let version: string | undefined;
  for await (const lines of byteLines(io.stdin, MAX_MESSAGE_BYTES)) {
    for (const { bytes, edges } of lines) {
      if (bytes === null) {
        refuse(INVALID_REQUEST, TOO_LONG, messageId(edges));
        continue;
      }
      const line = Buffer.from(bytes).toString();
      const value = parsed(line);
      if (value === undefined) refuse(PARSE_ERROR, NOT_JSON);
      else if (isMessage(value)) {
        if (isInitializeRequest(value)) version = value.params.protocolVersion;
        yield Buffer.from(`${line}\n`);
      } else if (!Array.isArray(value) || value.length === 0) refuse(INVALID_REQUEST, NO_MESSAGE, idOf(value));
      else if (version !== VERSION_WITH_BATCHES) refuse(INVALID_REQUEST, NO_BATCH);
      else {
        for (const each of value) {
          if (isMessage(each)) yield Buffer.from(`${JSON.stringify(each)}\n`);
          else refuse(INVALID_REQUEST, NO_MESSAGE, idOf(each));
        }
      }
    }
  }
}

/** Undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): boolean {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

/** The id of a request that is invalid otherwise. */
function idOf(value: unknown): unknown {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' || Number.isInteger(id) ? id : null;
}
