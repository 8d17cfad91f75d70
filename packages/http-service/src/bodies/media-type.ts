/**
 * Whether a `Content-Type` header names one of `accepted` (lower case, without parameters) in UTF-8 or with no charset.
 */
export function acceptsMediaType(contentType: string | undefined, accepted: readonly string[]): boolean {
  if (contentType === undefined) return false;
  if (accepted.includes(contentType)) return true;
  const [essence = '', ...parameters] = contentType.toLowerCase().split(';');
  return accepted.includes(essence.trim()) && parameters.every(isUtf8OrNoCharset);
}

function isUtf8OrNoCharset(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name.trim() !== 'charset' || /^"?utf-8"?$/.test(value.trim());
}
