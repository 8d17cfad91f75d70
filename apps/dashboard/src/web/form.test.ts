import { expect, it } from '@jest/globals';
import { formFields } from './form.js';

const fieldsOf = (text: string): URLSearchParams => formFields({ body: Buffer.from(text, 'latin1') });

it('reads a replacement character that was typed', () => {
  expect(fieldsOf('comment=it+reads+%EF%BF%BD%25').get('comment')).toBe('it reads \ufffd%');
});

it.each(['comment=%ff', 'comment=%EF%BF%BD&name=%C3'])('refuses bytes that are not UTF-8: %j', (text) => {
  expect(() => fieldsOf(text)).toThrow('The form must be sent as UTF-8.');
});
