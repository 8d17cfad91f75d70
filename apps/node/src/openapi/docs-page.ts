import type { OpenApiDocument, Operation } from '@cer/http-service/openapi';
import type { JsonSchema } from './route-description.js';

// Inline, because a stylesheet would need another route; the policy allows only this text, by its hash.
export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a404b); --soft: light-dark(#f4f5f8, #1d2127); }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem;
  background: light-dark(#fff, #14171b); color: light-dark(#1b1f27, #e4e7ec); }
a { color: light-dark(#1a4fae, #8fb6ff); }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .25rem 1rem 1rem; margin: 1rem 0; }
h3 { font-size: 1rem; margin: .75rem 0 .25rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--line); }
pre { background: var(--soft); padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
code { overflow-wrap: anywhere; }
h3 code { font-size: 1rem; }
td code { display: inline-block; }
summary { cursor: pointer; padding: .25rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; list-style: none; }
td:first-child { white-space: nowrap; }
@media (max-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: grid; grid-template-columns: minmax(3rem, max-content) minmax(0, 1fr); border-top: 1px solid var(--line); }
  td { border: 0; padding-right: .5rem; }
  td:nth-child(3) { grid-column: 2; padding-top: 0; }
}
`;

/**
 * Renders the description as one HTML page without scripts.
 * @returns a whole HTML document
 * @see docs/spec.md, "GET /openapi.json"
 */
export function docsPage({ info, tags, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  const groups = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<section><h2 id="${anchor(name)}">${escape(name)}</h2>${own.map(article).join('')}</section>`;
  });
  const links = tags.map(({ name }) => `<li><a href="#${anchor(name)}">${escape(name)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)}</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<header>
<h1>${escape(info.title)}</h1>
<p>Version ${escape(info.version)}. ${escape(info.description)} For programs: <a href="/openapi.json">openapi.json</a>.</p>
<p>Where a key is needed, send it as <code>Authorization: Bearer API_KEY</code>. Every refusal has the same
<a href="#shape-Error">shape</a>; the tables name its codes.</p>
<nav aria-label="Groups of routes"><ul>${links.join('')}<li><a href="#shapes">Shapes</a></li></ul></nav>
</header>
<main>${groups.join('')}${shapes(components.schemas)}</main>
</body>
</html>
`;
}

function article({ title, operation }: { readonly title: string; readonly operation: Operation }): string {
  const { operationId, summary, security, description, requestBody } = operation;
  const admin = security.some((scheme) => 'adminSecret' in scheme) ? 'Needs the header X-Admin-Secret.' : 'No key.';
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema = {} }]) =>
    schemaDetails('Body', type, schema),
  );
  return `<article id="${operationId}"><h3><code>${escape(title)}</code></h3>
<p>${escape(summary)}. ${escape(description ?? admin)}</p>${parameterTable(operation)}${bodies.join('')}${answerTable(operation)}${answerBodies(operation)}</article>`;
}

function parameterTable({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${place}${required === true ? ', required' : ''}</td><td>${escape(description)}${schemaNote(schema)}</td></tr>`,
  );
  return `<table><thead><tr><th scope="col">Parameter</th><th scope="col">In</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** The limits of a parameter, in words; empty for any text. */
function schemaNote({ $ref, type, enum: values, pattern, default: byDefault, ...limits }: JsonSchema): string {
  const { minLength, maxLength, minimum, maximum } = limits;
  const notes = [
    typeof $ref === 'string' && shapeLink($ref.slice(SHAPE_PATH.length)),
    type !== 'string' && type !== undefined && shown(type),
    Array.isArray(values) && values.map(code).join(' or '),
    minimum !== undefined && `at least ${shown(minimum)}`,
    maximum !== undefined && `at most ${shown(maximum)}`,
    minLength === 1 ? 'not empty' : minLength !== undefined && `at least ${shown(minLength)} characters`,
    maxLength !== undefined && `at most ${shown(maxLength)} characters`,
    pattern !== undefined && `matches ${code(pattern)}`,
    byDefault !== undefined && `by default ${code(byDefault)}`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? '' : ` <small>(${notes.join(', ')})</small>`;
}

function code(value: unknown): string {
  return `<code>${shown(value)}</code>`;
}

function shown(value: unknown): string {
  return escape(String(value));
}

function shapeLink(name: string, text = name): string {
  return `<a href="#shape-${name}">${text}</a>`;
}

function answerTable({ responses }: Operation): string {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const types = Object.keys(content).map((type) => `<code>${escape(type)}</code>`);
    const isError = Object.values(content).some(({ schema }) => schema?.['$ref'] === `${SHAPE_PATH}Error`);
    const described = isError
      ? description
          .split(', ')
          .map((code) => `<code>${escape(code).replaceAll('_', '_<wbr>')}</code>`)
          .join(', ')
      : escape(description);
    return `<tr><td>${status}</td><td>${described}</td><td>${types.join(' ')}</td></tr>`;
  });
  return `<table><thead><tr><th scope="col">Status</th><th scope="col">Answer</th><th scope="col">Type</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** The successful responses. Errors share one schema and differ in their codes, which the table lists. */
function answerBodies({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status < '400')
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([, { schema = {} }]) => Object.keys(schema).length > 0)
        .map(([type, { schema = {} }]) => schemaDetails(`Answer ${status}`, type, schema)),
    )
    .join('');
}

function schemaDetails(what: string, mediaType: string, schema: JsonSchema): string {
  return `<details><summary>${what}: <code>${escape(mediaType)}</code></summary>${schemaText(schema)}</details>`;
}

const LINE_LENGTH = 80;
const SHAPE_PATH = '#/components/schemas/';

/** The schemas that the routes refer to. */
function shapes(schemas: OpenApiDocument['components']['schemas']): string {
  const articles = Object.entries(schemas).map(
    ([name, schema]) => `<article><h3 id="shape-${name}"><code>${name}</code></h3>${schemaText(schema)}</article>`,
  );
  return `<section><h2 id="shapes">Shapes</h2>${articles.join('')}</section>`;
}

/** A schema as text, with links for its references. */
function schemaText(schema: JsonSchema): string {
  const text = escape(laidOut(schema, ''));
  const linked = text.replaceAll(/#\/components\/schemas\/(\w+)/g, (reference, name: string) =>
    shapeLink(name, reference),
  );
  return `<pre>${linked}</pre>`;
}

/** JSON with one line per member, except for values that fit on one line. */
function laidOut(value: unknown, indent: string): string {
  const short = JSON.stringify(value);
  if (short.length + indent.length <= LINE_LENGTH || typeof value !== 'object' || value === null) return short;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(
    ([name, member]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${laidOut(member, inner)}`,
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
