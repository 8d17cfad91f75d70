import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { validationError } from '@cer/http-service';

/** Members of an unwrapped bundle, package or project, which would also be verifiable. */
const OTHER_FORMS = ['snapshot', 'cer', 'stepRegistry'] as const;

/**
 * Parses the body of a verify route: `{bundle}`, without other members that a caller might believe verified.
 * @returns the wrapped form unchanged, so that a file gets the same verdict on every interface
 * @throws ServiceError VALIDATION_ERROR
 * @see docs/spec.md, "Packages"
 */
export function submittedBundle(body: JsonValue): { readonly bundle: JsonObject } {
  const bundle = isJsonObject(body) ? member(body, 'bundle') : undefined;
  if (!isJsonObject(body) || !isJsonObject(bundle)) {
    throw validationError([bundle === undefined ? 'bundle: is required' : 'bundle: must be an object']);
  }
  const other = OTHER_FORMS.find((name) => Object.hasOwn(body, name));
  if (other !== undefined) throw validationError([`body: is ambiguous: it has bundle and ${other}`]);
  return { bundle };
}
