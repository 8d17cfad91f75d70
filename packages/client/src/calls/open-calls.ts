import { processWide } from './process-wide.js';

/** A call that a framework reports, while it is open. */
export interface ClaimableCall {
  /** Id of the call; attempts that a fetch observer certifies name it. */
  readonly callId: string;
  /** Set when a fetch observer certifies the requests of this call, so that the framework's report is not needed. */
  isClaimed: boolean;
}

/** A call that can only be recognised by its model and text. */
interface Recognisable {
  readonly call: ClaimableCall;
  readonly model: string | null;
  /** Model and text as they stand in a body of JSON: a request is compared with up to a thousand calls. */
  readonly quotedModel: string;
  readonly quotedText: string;
}

/** Maximum calls kept for recognition; older ones are certified as the framework reports them. */
const MAX_OPEN = 1000;

/** Open calls of frameworks that run a provider's requests outside of the context of their call. */
export interface OpenCalls {
  /** The calls that an integration certifies, by their ids in the frameworks. */
  readonly keys: Set<string>;
  /** @param text the last text that is sent to the model */
  add(call: ClaimableCall, model: string | null, text: string): void;
  remove(call: ClaimableCall): void;
  /** The open call that a request belongs to, by its model and text. @param model null or absent where the body names it */
  claim(body: string, model?: string | null): ClaimableCall | null;
}

/** The open calls of the process: the client that certifies a request may not be the one of the framework's report. */
export const openCallsOfProcess = processWide('open calls', createOpenCalls);

function createOpenCalls(): OpenCalls {
  const open = new Map<ClaimableCall, Recognisable>();
  return {
    keys: new Set(),
    add: (call, model, text) => {
      open.set(call, { call, model, quotedModel: JSON.stringify(model), quotedText: JSON.stringify(text) });
      const [oldest] = open.keys();
      if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest);
    },
    remove: (call) => {
      open.delete(call);
    },
    claim: (body, named = null) => {
      for (const { call, model, quotedModel, quotedText } of open.values()) {
        if (call.isClaimed || !body.includes(quotedText)) continue;
        if (model === null || model === named || body.includes(quotedModel)) return call;
      }
      return null;
    },
  };
}
