import { expect, it } from '@jest/globals';
import { visibleMessage } from './visible-message.js';

it('shows the message of a sketch within its length', () => {
  expect(visibleMessage('user\u202Eexe.gpj')).toBe('user\\u{202e}exe.gpj');
  expect(visibleMessage('\u202e'.repeat(5000))).toHaveLength(2048);
});
