import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { validationError } from '@cer/http-service';

/** What would be something to verify too: a bundle, a package or a project that is not wrapped. */
const OTHER_FORMS = ['snapshot', 'cer', 'stepRegistry'] as const;

/**
 * The body of a verify route: `{bundle}`, and nothing beside it of which somebody might think that it was verified.
 * @returns the wrapped form as it is, so that a file gets the same verdict here as anywhere else
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
