import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { validationError } from '@cer/http-service';

/** Forms that are verifiable without a wrapper: beside `bundle` they would make a body ambiguous. */
const BARE_FORMS = ['snapshot', 'cer', 'stepRegistry'] as const;

/** Members that every bundle, package or project has one of; a body without any is something else. */
const MARKS = [...BARE_FORMS, 'bundleType', 'certificateHash', 'runtimeHash'] as const;

/**
 * Parses the body of a verify route: a bundle, package or project, bare or as `{bundle}`.
 * @returns the body as it was sent, so that a file gets the same verdict on every interface
 * @throws ServiceError VALIDATION_ERROR
 * @see docs/spec.md, "Packages"
 */
export function submittedBundle(body: JsonValue): JsonObject {
  if (!isJsonObject(body)) throw validationError(['body: must be a JSON object']);
  const forms = ['bundle', ...BARE_FORMS].filter((name) => Object.hasOwn(body, name));
  if (forms.length > 1) throw validationError([`body: is ambiguous: it has ${forms.join(' and ')}`]);
  const form = member(body, forms[0] ?? '');
  if (forms[0] === 'bundle' || forms[0] === 'cer') {
    if (!isJsonObject(form)) throw validationError([`${forms[0]}: must be an object`]);
    return body;
  }
  if (MARKS.some((name) => Object.hasOwn(body, name))) return body;
  throw validationError(['body: must be a bundle, a package or a project, or one of them as {bundle}']);
}
