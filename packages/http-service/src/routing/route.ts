import type { Handler, RequestHead, ResponseHeaders, ServiceResponse, StreamHandler } from '../handler/handler.js';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RouteRules {
  readonly method: RouteMethod;
  /** `/v1/cer/:hash`: segments beginning with a colon are parameters, everything else is matched byte for byte. */
  readonly path: string;
  /**
   * Authentication, authorization and rate limits, on the head alone, before one byte of the body is read. The handler
   * gets the same object, so what was found out here can wait for it in a WeakMap. Headers that it returns stand on the
   * answer, whatever the handler says.
   */
  readonly admit?: (head: RequestHead) => Promise<ResponseHeaders | undefined> | Promise<void>;
  /**
   * Runs around the reading of the body and the handler: what a budget holds for a request is held until both have ended,
   * however they end.
   */
  readonly within?: (head: RequestHead, work: () => Promise<ServiceResponse>) => Promise<ServiceResponse>;
  /** The largest body; 1 MiB when left out. A function is asked after `admit`, for limits that depend on the caller. */
  readonly bodyLimitBytes?: number | ((head: RequestHead) => number);
  /** The media types a body may have, lower case; any when left out. */
  readonly mediaTypes?: readonly string[];
  /** Content codings the handler undoes itself, e.g. `gzip`; none when left out. */
  readonly contentEncodings?: readonly string[];
  /** `public`: any web page may read the answers, without cookies. `none`, the default: no CORS header at all. */
  readonly cors?: 'public' | 'none';
}

/** A route whose handler gets the whole body, or one (`body: 'stream'`) whose handler reads it as it arrives. */
export type Route = RouteRules &
  (
    | { readonly body?: 'bytes'; readonly handler: Handler }
    | { readonly body: 'stream'; readonly handler: StreamHandler }
  );
