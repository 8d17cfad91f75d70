/**
 * Whether a `Content-Type` header names one of `accepted` (lower case, without parameters) in UTF-8 or with no charset.
 */
export function acceptsMediaType(contentType: string | undefined, accepted: readonly string[]): boolean {
  if (contentType === undefined) return false;
  if (accepted.includes(contentType)) return true;
  return namesMediaType(contentType, accepted) && parametersOf(contentType).every(isUtf8OrNoCharset);
}

/** Whether a `Content-Type` header names one of `accepted`, in any charset. */
export function namesMediaType(contentType: string, accepted: readonly string[]): boolean {
  const [essence = ''] = contentType.toLowerCase().split(';');
  return accepted.includes(essence.trim());
}

function parametersOf(contentType: string): readonly string[] {
  return contentType.toLowerCase().split(';').slice(1);
}

function isUtf8OrNoCharset(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name.trim() !== 'charset' || /^"?utf-8"?$/.test(value.trim());
}
