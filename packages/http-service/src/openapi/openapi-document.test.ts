import { describe, expect, it } from '@jest/globals';
import { HTTP_STATUS, type HttpCode } from '../errors/service-error.js';
import { describedAnswers } from '../testing/described-answers.js';
import { openApiDocument, type OpenApiDocument } from './openapi-document.js';
import { object, TEXT } from './schemas.js';

function documentOf(path: string, inPath: Readonly<Record<string, string>>): OpenApiDocument {
  return openApiDocument<'public', HttpCode>(
    {
      info: { title: 't', version: '1', description: 'd' },
      statusOf: HTTP_STATUS,
      accessOf: () => ({ security: [], codes: [] }),
      schemas: { Error: object({ error: TEXT }) },
      codeMember: 'error',
      securitySchemes: {},
      inPath,
      limitHeaders: {},
    },
    [
      {
        method: 'GET',
        path,
        description: {
          group: 'g',
          summary: 's',
          access: 'public',
          success: { 200: { description: 'ok', schema: object({ id: TEXT }) } },
        },
      },
    ],
  );
}

describe('the description of a route', () => {
  it('says what each parameter of its path is', () => {
    const { paths } = documentOf('/things/:id', { id: 'The id of a thing.' });
    expect(paths['/things/{id}']?.['get']?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, description: 'The id of a thing.', schema: TEXT },
    ]);
  });

  it('is refused when it leaves one out', () => {
    expect(() => documentOf('/things/:id', {})).toThrow('the path parameter "id" has no description');
  });
});

describe('answers compared with a document', () => {
  const { operations, faultsOf } = describedAnswers(JSON.stringify(documentOf('/things/:id', { id: 'An id.' })));
  const answer = { route: 'GET /things/{id}', status: 200, type: 'application/json', body: { id: 'a' } };

  it('are those of its operations', () => {
    expect([...operations]).toEqual([['GET /things/{id}', [200, 400, 500]]]);
    expect(faultsOf(answer)).toEqual([]);
    expect(faultsOf({ ...answer, status: 400, body: { error: 'VALIDATION_ERROR' } })).toEqual([]);
  });

  it.each([
    ['another member', { body: { id: 'a', more: 1 } }],
    ['another type', { type: 'text/html', body: '' }],
    ['another status', { status: 418 }],
    ['another route', { route: 'GET /others' }],
    ['another code', { status: 400, body: { error: 'NOT_FOUND' } }],
  ])('have a fault: %s', (_name, change) => {
    expect(faultsOf({ ...answer, ...change })).toHaveLength(1);
  });
});
