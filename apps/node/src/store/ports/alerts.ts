/** A condition that is reported: its type and what it is about. */
export interface AlertCondition {
  /** Dotted, e.g. `witness.silent`. */
  readonly type: string;
  /** Name of a witness, a kid, a tenant and month, a host; empty for the whole node. */
  readonly subject: string;
}

/** The last known state of a condition. */
export interface AlertState extends AlertCondition {
  readonly isFiring: boolean;
  /** Milliseconds since 1970. */
  readonly changedMs: number;
}

/** A message for one endpoint. */
export interface NewAlertDelivery {
  /** Null: the operator's endpoint. */
  readonly tenantId: string | null;
  /** The `webhook-id`, the same at every attempt. */
  readonly deliveryId: string;
  /** Name of an operator's endpoint, whose address and secrets are never stored, or id of a tenant's webhook. */
  readonly endpoint: string;
  readonly type: string;
  /** The exact body. */
  readonly payload: string;
  readonly createdMs: number;
}

/** A tenant's webhook, for its own deliveries. */
export interface DeliveryOwner {
  readonly tenantId: string;
  readonly webhookId: string;
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** A delivery with the result of its last attempt. */
export interface AlertDelivery extends NewAlertDelivery {
  readonly seq: number;
  readonly state: DeliveryState;
  /** Completed attempts since it was last sent for the first time. */
  readonly attempts: number;
  /** Time of the next attempt; meaningful while it waits. */
  readonly dueMs: number;
  readonly attemptedMs: number | null;
  /** An HTTP status, or a closed code of why there is none; null before the first attempt. */
  readonly result: string | null;
}

/** The result of one attempt. */
export interface DeliveryAttempt {
  readonly deliveryId: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly dueMs: number;
  readonly attemptedMs: number;
  readonly result: string;
}

/** States of alert conditions, and messages about their changes. */
export interface AlertStore {
  states(): Promise<readonly AlertState[]>;
  /**
   * Stores a changed state with its messages, all or none.
   * @returns false when the condition has that state already: another node was first
   */
  change(state: AlertState, deliveries: readonly NewAlertDelivery[]): Promise<boolean>;
  /**
   * Waiting deliveries whose time has come, the oldest first; of tenants and of receivers in turn, so that none delays
   * the others.
   * @param whose the operator's or the tenants'
   */
  due(whose: 'operator' | 'tenants', nowMs: number, limit: number): Promise<readonly AlertDelivery[]>;
  noteAttempt(attempt: DeliveryAttempt): Promise<void>;
  /** The operator's deliveries after `seq`, in order. */
  deliveries(afterSeq: number, limit: number): Promise<readonly AlertDelivery[]>;
  /** The deliveries of a tenant's webhook before `seq`, newest first. */
  deliveriesOf(owner: DeliveryOwner, beforeSeq: number, limit: number): Promise<readonly AlertDelivery[]>;
  /** Sends a delivery again, as at the first time. @returns false for an unknown one */
  sendAgain(owner: DeliveryOwner | 'operator', deliveryId: string, nowMs: number): Promise<boolean>;
  /** Adds a message without a condition. @returns false while `limit` messages wait for that endpoint */
  addMessage(message: NewAlertDelivery, limit: number): Promise<boolean>;
  /** Removes completed deliveries and ended states that are older. */
  forget(beforeMs: number): Promise<void>;
}
