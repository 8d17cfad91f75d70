import { describe, expect, it } from '@jest/globals';
import { createCertifiedAnswers } from './certified-answers.js';

const sealed = (executionId: string) => ({ executionId, certificateHash: '', bundle: {}, text: '{}', openings: null });

describe('certificates of observed answers', () => {
  it('are kept once a trace can ask for them', () => {
    const answers = createCertifiedAnswers();
    answers.add(['early'], sealed('a'));
    answers.remember();
    answers.add(['later'], sealed('b'));
    expect(answers.take('early')).toMatchObject({ sealed: null });
    expect(answers.take('later')?.sealed?.executionId).toBe('b');
    expect(answers.take('never')).toBeNull();
  });

  it('are found once, and the newest are kept', () => {
    const answers = createCertifiedAnswers();
    answers.remember();
    for (let at = 0; at <= 3000; at += 1) answers.add([`answer-${at}`], sealed(String(at)));
    expect(['answer-0', 'answer-1', 'answer-1'].map((id) => answers.take(id)?.sealed?.executionId)).toEqual([
      undefined,
      '1',
      undefined,
    ]);
  });

  it('are found as often as asked for, also after a trace had them', () => {
    const answers = createCertifiedAnswers();
    answers.add(['one', null], sealed('a'));
    answers.take('one');
    expect([answers.find('one')?.executionId, answers.find('one')?.executionId]).toEqual(['a', 'a']);
  });

  it('have no name that another answer has', () => {
    const answers = createCertifiedAnswers();
    answers.add(['one', 'both'], sealed('a'));
    answers.add(['two', 'both', 'both'], sealed('b'));
    expect(['one', 'two', 'both', 'none'].map((name) => answers.find(name)?.executionId)).toEqual([
      'a',
      'b',
      undefined,
      undefined,
    ]);
  });

  it('have no name that an answer without a certificate has', () => {
    const answers = createCertifiedAnswers();
    answers.add(['one', 'two'], null);
    answers.add(['two'], sealed('b'));
    expect([answers.find('one'), answers.find('two'), answers.take('one')]).toEqual([null, null, null]);
    expect(answers.take('two')).not.toBeNull();
  });

  it('may have one name twice', () => {
    const answers = createCertifiedAnswers();
    answers.add(['one', 'one'], sealed('a'));
    expect(answers.find('one')?.executionId).toBe('a');
  });
});
