import { ServiceError } from '@cer/http-service';
import type { FormFault } from '../web/form.js';

/** Passwords are switched off: people sign in at the provider. */
export function passwordsAreOff(): ServiceError {
  const message = 'Passwords are switched off here: sign in with your organisation.';
  return new ServiceError({ code: 'FORBIDDEN', message });
}

/** @param field of the form that was sent too often */
export function tooManyAttempts(field: string, retryAfterS: number): FormFault {
  const minutes = Math.ceil(retryAfterS / 60);
  const time = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return {
    field,
    sentence: `Too many attempts. Wait ${time}, or use a browser that has signed in to this account before.`,
  };
}
