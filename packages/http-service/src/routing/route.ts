import type { Handler, RequestHead, ResponseHeaders, ServiceResponse, StreamHandler } from '../handler/handler.js';

type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RouteRules {
  readonly method: RouteMethod;
  /**
   * `/v1/cer/:hash`: segments that start with a colon are parameters, all others are matched byte for byte. A last
   * segment `:name+` takes all that follow, at least one, with the slashes between them.
   */
  readonly path: string;
  /**
   * Authentication, authorization and rate limits, on the head alone, before the first byte of the body is read. The
   * handler receives the same object, so a WeakMap keyed by it carries results over. Returned headers are added to
   * every answer.
   */
  readonly admit?: (head: RequestHead) => Promise<ResponseHeaders | undefined> | Promise<void>;
  /** Wraps the reading of the body and the handler, so that a budget is held until both have ended. */
  readonly within?: (head: RequestHead, work: () => Promise<ServiceResponse>) => Promise<ServiceResponse>;
  /** Called after `admit`: whose share of memory a large body counts against. Null, the default: only the total counts. */
  readonly holderOf?: (head: RequestHead) => string | null;
  /** Largest body in bytes; 1 MiB by default. A function is called after `admit`, for limits that depend on the caller. */
  readonly bodyLimitBytes?: number | ((head: RequestHead) => number);
  /** Accepted media types of a body, lower case; any by default. */
  readonly mediaTypes?: readonly string[];
  /** Content codings that the handler decodes itself. By default the router decodes gzip, within `bodyLimitBytes`. */
  readonly contentEncodings?: readonly string[];
  /** `public`: any web page may read the answers, without cookies. `none`, the default: no CORS headers. */
  readonly cors?: 'public' | 'none';
}

/** One method at one path. The handler receives the whole body, or with `body: 'stream'` reads it as it arrives. */
export type Route = RouteRules &
  (
    | { readonly body?: 'bytes'; readonly handler: Handler }
    | { readonly body: 'stream'; readonly handler: StreamHandler }
  );
