import { serviceUrl } from '@cer/http-service/config';

/**
 * Configuration schema of an origin that browsers open: https, or http on this machine. Browsers keep a `__Host-`
 * cookie nowhere else.
 */
export function browserOrigin() {
  return serviceUrl().refine(isSecureOrigin, {
    error: 'must be an https origin without a path (http only for localhost)',
  });
}

function isSecureOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const local = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return origin === text && (protocol === 'https:' || local);
}
