import { ServiceError } from '@cer/http-service';
import type { Html } from '@cer/pages';
import { selectField } from './fields.js';

/** How long an old key or secret remains valid beside its successor. */
const GRACE_PERIODS = [
  { hours: 0, label: 'Not at all' },
  { hours: 1, label: 'One hour' },
  { hours: 24, label: 'One day' },
  { hours: 168, label: 'One week' },
] as const;

const NAME = 'grace_hours';

export function graceField(question: string): Html {
  const choices = GRACE_PERIODS.map(({ hours, label }) => ({ value: String(hours), label, chosen: hours === 24 }));
  return selectField(NAME, question, choices);
}

/** @throws ServiceError VALIDATION_ERROR with the message, for a value that was not offered */
export function graceHoursOf(fields: URLSearchParams, message: string): number {
  const chosen = GRACE_PERIODS.find(({ hours }) => String(hours) === fields.get(NAME));
  if (chosen === undefined) throw new ServiceError({ code: 'VALIDATION_ERROR', message });
  return chosen.hours;
}
