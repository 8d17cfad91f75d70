import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { sha256 } from '../hash.js';
import { isReviewRequest, reviewOf, reviewRequest, type NewReview } from '../review.js';
import { executionRequestFaults } from '../seal.js';
import { certified, TEST_TIME, testKeys } from '../testing/index.js';
import { evaluateCer } from '../verify.js';

const REVIEW: NewReview = {
  subject: 'certificate',
  reviewed: sha256('reviewed'),
  decision: 'rejected',
  executionId: 'review-1',
  reviewer: 'Ada Example',
  comment: 'The second clause is missing.',
  seen: null,
  appId: null,
  at: TEST_TIME,
};

describe('a review', () => {
  it('is a confidential certificate that names the reviewed hash', async () => {
    expect(executionRequestFaults(reviewRequest(REVIEW))).toEqual([]);
    const bundle = await certified(reviewRequest(REVIEW));
    const evaluation = await evaluateCer(bundle, { keySet: testKeys(), verifiedAt: TEST_TIME });
    expect(evaluation.status).toBe('VERIFIED_CONFIDENTIAL');
    expect(reviewOf(bundle)).toEqual({ subject: 'certificate', reviewed: sha256('reviewed'), decision: 'rejected' });
    expect(JSON.stringify(bundle)).not.toMatch(/Ada Example|second clause/);
  });

  it.each<[string, (bundle: JsonObject, signal: JsonObject) => JsonObject]>([
    ['another model', (bundle) => ({ ...bundle, snapshot: { provider: 'human', model: 'other' } })],
    ['no signal', (bundle) => ({ ...bundle, context: {} })],
    ['two signals', (bundle, signal) => ({ ...bundle, context: { signals: [signal, signal] } })],
    [
      'a signal of another source',
      (bundle, signal) => ({ ...bundle, context: { signals: [{ ...signal, source: 'x' }] } }),
    ],
    [
      'an unknown decision',
      (bundle, signal) => ({
        ...bundle,
        context: { signals: [{ ...signal, payload: { subject: 'project', reviewed: sha256(''), decision: 'maybe' } }] },
      }),
    ],
    [
      'a reviewed text that is not a hash',
      (bundle, signal) => ({
        ...bundle,
        context: { signals: [{ ...signal, payload: { subject: 'project', reviewed: 'x', decision: 'approved' } }] },
      }),
    ],
  ])('is none with %s', (_name, change) => {
    const { context, ...rest } = reviewRequest(REVIEW);
    const bundle = { snapshot: rest, context: context ?? {} };
    expect(reviewOf(bundle)).not.toBeNull();
    const signal: JsonObject = { type: 'review', source: 'human-review.v1', payload: {} };
    expect(reviewOf(change(bundle, signal))).toBeNull();
  });

  it('is requested by this request and no other', () => {
    const request = reviewRequest(REVIEW);
    expect(isReviewRequest(request)).toBe(true);
    expect(isReviewRequest(reviewRequest({ ...REVIEW, at: null, seen: sha256('seen'), comment: '' }))).toBe(true);
    expect(isReviewRequest(reviewRequest({ ...REVIEW, appId: 'travel-desk' }))).toBe(true);
    const others: readonly JsonValue[] = [
      null,
      [],
      { ...request, metadata: {} },
      { ...request, appId: ' ' },
      { ...request, appId: null },
      { ...request, appId: 7 },
      { ...request, prompt: 'Anything else' },
      { ...request, provider: 'example' },
      { ...request, executionId: null },
      { ...request, timestamp: '2026-01-01T00:00:00Z' },
      { ...request, parameters: { temperature: 1, maxTokens: 0, topP: null, seed: null } },
      { ...request, input: { reviewed: sha256('another'), reviewer: 'Ada Example', seen: null } },
      { ...request, input: { reviewed: sha256('reviewed'), reviewer: ' ', seen: null } },
      { ...request, input: { reviewed: sha256('reviewed'), reviewer: 'Ada Example', seen: 'a file' } },
      { ...request, input: 'text' },
      { ...request, output: { decision: 'approved', comment: '' } },
      { ...request, output: { decision: 'rejected', comment: '', more: 1 } },
    ];
    expect(others.filter(isReviewRequest)).toEqual([]);
  });
});
