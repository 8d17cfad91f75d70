import { object, TEXT, type Success } from '@cer/http-service/openapi';
import type { Access, DescribedRoute } from '../openapi/route-description.js';
import { FORM_TOKEN } from './fields.js';
import { FORM_TYPE } from './form.js';

/**
 * The description of a page: a sentence, or with it the parts of a query, the fields of a form, and its file's type.
 */
export type PageWords =
  | string
  | {
      readonly summary: string;
      /** Parts of the query, none of them required. */
      readonly query?: readonly string[];
      /** Fields of the form beside its token. */
      readonly fields?: readonly string[];
      /** Type of a download; absent: a page. */
      readonly file?: string;
      /** Its own statuses. */
      readonly statuses?: readonly number[];
    };

type Kind = 'view' | 'form' | 'open view' | 'open form';

const PAGE = ['text/html'];
const REFUSED: Success = {
  description: 'A page with the reason, or before the page was asked its JSON.',
  mediaTypes: ['text/html', 'application/json'],
  schema: { $ref: '#/components/schemas/Error' },
};
const AGAIN: Success = { description: 'The page again, with the faults to correct.', mediaTypes: PAGE };
const ACCESS: Readonly<Record<Kind, Access>> = {
  view: 'session',
  form: 'form',
  'open view': 'public',
  'open form': 'form',
};

/** A page or its form in the OpenAPI document; refusals are pages too. */
export function pageDescription(kind: Kind, words: PageWords): DescribedRoute['description'] {
  const { summary, query, fields = [], file, statuses = [] } = typeof words === 'string' ? { summary: words } : words;
  const isForm = kind === 'form' || kind === 'open form';
  return {
    group: isForm ? 'Forms' : 'Pages',
    summary,
    access: ACCESS[kind],
    ...(query !== undefined && {
      query: query.map((name) => ({ name, description: `${name}, as the page has it.`, schema: TEXT })),
    }),
    ...(isForm && {
      body: {
        mediaType: FORM_TYPE,
        schema: object({ [FORM_TOKEN]: TEXT }, Object.fromEntries(fields.map((name) => [name, TEXT]))),
      },
    }),
    success: {
      200: { description: file === undefined ? 'A page.' : 'A file.', mediaTypes: file === undefined ? PAGE : [file] },
      303: { description: 'Leads to another page, such as that for signing in.', mediaTypes: [] },
      ...Object.fromEntries([400, 403, 404, 500, 503].map((status) => [status, REFUSED])),
      ...(isForm && { 422: AGAIN }),
      ...Object.fromEntries(statuses.map((status) => [status, { ...AGAIN, description: 'A page.' }])),
    },
  };
}
