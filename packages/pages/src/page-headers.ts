export interface PagePolicy {
  /** The site's origin; with https, browsers then always use https. */
  readonly publicUrl: string;
  /** Origins or keywords of the policy that forms may be sent to, and that their answers may redirect to. */
  readonly formAction: readonly string[];
  /** Whether pages load scripts of this site, which may connect to it. */
  readonly hasScripts: boolean;
}

/**
 * Headers of every page: no inline script, no content of other sites, no framing. The referrer policy is `same-origin`,
 * because with `no-referrer` browsers send forms with `Origin: null`.
 */
export function pageHeaders({ publicUrl, formAction, hasScripts }: PagePolicy): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    ...(hasScripts ? ["script-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self'",
    ...(hasScripts ? ["connect-src 'self'"] : []),
    `form-action ${formAction.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
