// The bridge's certify requests for the spans of one case file.
import { decodeJson } from '../../apps/bridge/dist/ingest/otlp/wire/decode-json.js';
import { spanItems } from '../../apps/bridge/dist/ingest/otlp/span-items.js';

const SPAN_LIMIT = 100;

/** @param {{export: string, protocol: string, content: 'required' | 'optional'}} file */
export async function spanCase({ export: text, protocol, content }) {
  let spans;
  try {
    spans = decodeJson(Buffer.from(text), SPAN_LIMIT);
  } catch (error) {
    if (error.name !== 'OtlpError') throw error;
    return { refused: 'VALIDATION_ERROR' };
  }
  const found = await spanItems(spans, { protocolVersion: protocol, content });
  return {
    items: found.map(({ item: { executionId, line } }) =>
      line === undefined
        ? { executionId, isRefused: true }
        : { executionId, request: JSON.parse(Buffer.from(line).toString('utf8')) },
    ),
  };
}
