import { describe, expect, it } from '@jest/globals';
import { callsImport } from './import-call.js';

describe('A script that calls import()', () => {
  it.each([
    "import('x')",
    'a=import\n(x)',
    'import /* ( */ (x)',
    'import/**/ /***/\t// (\n(x)',
    'import <!-- (\n(x)',
    'import\n--> (\n(x)',
    'import\u2028// a\u2029(x)',
    'import.source(x)',
    'import . /**/ defer /**/ (x)',
    'important; import (x)',
  ])('is recognised: %j', (script) => {
    expect(callsImport(script)).toBe(true);
  });

  it.each([
    'important(x)',
    '// import from the editor (old)',
    'reimport(x)',
    '// what to import. (Later)',
    'import/*',
    'import',
  ])('is not seen where there is none: %j', (script) => {
    expect(callsImport(script)).toBe(false);
  });
});
