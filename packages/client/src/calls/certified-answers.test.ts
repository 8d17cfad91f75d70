import { describe, expect, it } from '@jest/globals';
import { createCertifiedAnswers } from './certified-answers.js';

const sealed = (executionId: string) => ({ executionId, certificateHash: '', bundle: {}, text: '{}', openings: null });

describe('certificates of observed answers', () => {
  it('are kept once a trace can ask for them', () => {
    const answers = createCertifiedAnswers();
    answers.add({ id: 'early' }, sealed('a'));
    answers.remember();
    answers.add({ id: 'later' }, sealed('b'));
    expect(answers.take('early')).toEqual({ sealed: null });
    expect(answers.take('later')?.sealed?.executionId).toBe('b');
    expect(answers.take('never')).toBeNull();
  });

  it('are found once, and the newest are kept', () => {
    const answers = createCertifiedAnswers();
    answers.remember();
    for (let at = 0; at <= 1000; at += 1) answers.add({ id: `answer-${at}` }, sealed(String(at)));
    expect(['answer-0', 'answer-1', 'answer-1'].map((id) => answers.take(id)?.sealed?.executionId)).toEqual([
      undefined,
      '1',
      undefined,
    ]);
  });
});
