import type { Logger } from '@cer/http-service/process';
import type { NewAlertDelivery } from '../store/index.js';
import { isReceived } from './deliver.js';
import type { AlertEndpoint } from './endpoints.js';
import { messagesOf } from './messages.js';
import type { PostWebhook } from './post-webhook.js';
import type { Observation } from './source.js';

export interface DirectAlerts {
  /**
   * Sends the change of a condition that cannot be stored, until each endpoint has it; every call is one attempt.
   * @param observation null: the database answers again, so the sent conditions have ended
   */
  send(endpoints: readonly AlertEndpoint[], observation: Observation | null, at: Date): Promise<void>;
}

/** For a database that cannot be reached: state and messages are in memory. */
export function createDirectAlerts(post: PostWebhook, logger: Logger): DirectAlerts {
  let firing: Observation | null = null;
  let open: readonly NewAlertDelivery[] = [];
  return {
    send: async (endpoints, observation, at) => {
      const isFiring = observation?.isFiring ?? false;
      const changed = isFiring === (firing !== null) ? null : isFiring ? observation : firing;
      if (changed !== null) {
        open = messagesOf(endpoints, changed, isFiring, at);
        firing = isFiring ? changed : null;
      }
      const left = await Promise.all(
        open.map(async (message) => {
          const endpoint = endpoints.find(({ name }) => name === message.endpoint);
          if (endpoint === undefined || isReceived(await post(endpoint, message))) return null;
          logger.warn({ endpoint: message.endpoint, type: message.type }, 'an alert was not delivered');
          return message;
        }),
      );
      open = left.filter((message) => message !== null);
    },
  };
}
