import type { Secret } from '@cer/http-service/config';

/** The routes that a control plane has for node and bridge. @see docs/spec.md, "Control plane" */
export const CONTROL_PLANE_PATHS = {
  key: '/internal/v1/keys/introspect',
  session: '/internal/v1/sessions/introspect',
  usage: '/internal/v1/usage',
} as const;

/** Timeout of a request, in ms, unless the caller has its own; after it the control plane counts as unavailable. */
const TIMEOUT_MS = 3000;

/**
 * Posts a question as JSON.
 * @returns the answer of status 2xx, its body not yet read
 * @throws when there is none in time
 */
export type AskControlPlane = (
  about: keyof typeof CONTROL_PLANE_PATHS,
  body: object,
  signal?: AbortSignal,
) => Promise<Response>;

/** @param token the service credential */
export function controlPlaneAt(url: string, token: Secret<string>): AskControlPlane {
  return async (about, body, signal = AbortSignal.timeout(TIMEOUT_MS)) => {
    const response = await fetch(`${url}${CONTROL_PLANE_PATHS[about]}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token.reveal()}` },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Error(`the control plane answered ${response.status}`);
  };
}
