import type { JsonObject } from '@cer/canonical-json';
import { REVIEW_DECISIONS, type ReviewDecision } from '@cer/cer-core/review';
import { html, type Html } from '@cer/pages';
import { choiceField, faultSummary, formTokenField, linesField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';
import { MAX_COMMENT, type ReviewForm } from './review-form.js';

const CHOICES: Readonly<Record<ReviewDecision, readonly [label: string, hint: string]>> = {
  approved: ['Approve', 'You looked at it and agree.'],
  rejected: ['Reject', 'You looked at it and do not agree.'],
  commented: ['Comment only', 'You looked at it and decide nothing.'],
};

export interface NewReviewPage {
  readonly formToken: string;
  readonly form: ReviewForm;
  readonly reviewer: string;
  readonly given?: { readonly decision: string; readonly comment: string };
  readonly faults?: readonly FormFault[];
  /** The reason why the node did not certify. */
  readonly refused?: string;
}

export function newReviewPage(page: NewReviewPage): PageAnswer {
  const { formToken, form, reviewer, given, faults, refused } = page;
  const { subject, reviewed, executionId, seen } = form;
  const status = refused !== undefined ? 503 : faults !== undefined ? 422 : 200;
  return {
    title: 'Review',
    status,
    body: html`<p class="lead">
        Your decision becomes a separate certificate, signed by the node. It cannot be changed later; a further review
        can be added.
      </p>
      ${refused !== undefined && html`<p class="notice bad" role="alert">${refused} Send the form again: it is certified once.</p>`}
      ${faultSummary(faults)}
      <section class="card" aria-labelledby="about">
        <h2 id="about">What you review</h2>
        <dl>
          ${term(subject === 'certificate' ? 'Certificate' : 'Project', subjectLink(form))}
          ${term('Reviewer', reviewer)}
          ${seen !== null && term('Seen', html`the file of the certificate, <code>${seen}</code>`)}
        </dl>
        <p class="muted">
          In clear: the reviewed hash, its application, the decision and the time. Sealed: your name, the comment and
          what you have seen.
        </p>
      </section>
      <form method="post" action="/reviews" class="card">
        ${formTokenField(formToken)} ${hidden('subject', subject)} ${hidden('reviewed', reviewed)}
        ${hidden('execution_id', executionId)} ${hidden('seen', seen ?? '')}
        ${choiceField(
          'radio',
          'decision',
          'Decision',
          REVIEW_DECISIONS.map((value) => {
            const [label, hint] = CHOICES[value];
            return { value, label, hint, chosen: given?.decision === value };
          }),
          faults,
        )}
        ${linesField({
          name: 'comment',
          label: 'Comment (optional)',
          value: given?.comment,
          hint: `At most ${MAX_COMMENT.toLocaleString('en')} characters. It is not kept here: the next page hands it to you.`,
          faults,
        })}
        <p class="acts">
          <button>Certify the review</button>
          <a href="${subject === 'certificate' ? `/records/certificate/${reviewed}` : '/records'}">Cancel</a>
        </p>
      </form>`,
  };
}

function subjectLink({ subject, reviewed }: ReviewForm): Html {
  const href = subject === 'certificate' ? `/records/certificate/${reviewed}` : `/records?search=${reviewed}`;
  return html`<a href="${href}"><code>${reviewed}</code></a>`;
}

function term(name: string, value: Html | string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** @param values the sealed values of the certificate with their openings, shown only once */
export function certifiedReviewPage(certificateHash: string, values: JsonObject): PageAnswer {
  const text = `${JSON.stringify(values, null, 2)}\n`;
  const file = `data:application/json;base64,${Buffer.from(text).toString('base64')}`;
  const name = `review-${certificateHash.slice('sha256:'.length, 23)}.json`;
  return {
    title: 'Keep the values of your review',
    body: html`<section class="card" aria-labelledby="values">
        <h2 id="values">The sealed values</h2>
        <p>
          The certificate has your name and comment as commitments only. With this file you can show what they are. It
          is the only copy, and it is not shown again.
        </p>
        <p class="acts"><a class="button" href="${file}" download="${name}">Download the values</a></p>
        <pre tabindex="0" aria-label="The values"><code>${text}</code></pre>
      </section>
      <p class="acts">
        <a href="/records/certificate/${certificateHash}">Certificate of the review</a>
        <a href="/records">All records</a>
      </p>`,
  };
}
