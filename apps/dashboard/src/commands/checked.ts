import { zodFaults } from '@cer/http-service';
import type * as z from 'zod';
import type { Store, Tenant } from '../store/index.js';
import { CommandError } from './command.js';

/** A value of an option, by the same rule as in a form. @throws CommandError naming the option */
export function checked<Schema extends z.ZodType>(schema: Schema, option: string, value: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [fault = option] = zodFaults(result.error, value, option);
  throw new CommandError(`--${fault.replace(': ', ' ')}`);
}

/** @throws CommandError when there is none */
export async function tenantNamed(store: Store, name: string): Promise<Tenant> {
  const tenant = await store.tenants.findByName(name);
  if (tenant === null) throw new CommandError('--tenant names no tenant: make it with "tenant create --name NAME"');
  return tenant;
}
