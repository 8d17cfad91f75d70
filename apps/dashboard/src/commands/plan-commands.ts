import { PlainName } from '../account/person.js';
import type { Plan } from '../store/index.js';
import { checked, tenantNamed } from './checked.js';
import { COMMAND_LINE, CommandError, required, type Command, type OptionValues } from './command.js';

export const putPlan: Command = {
  usage: '--name N [--requests-per-minute N] [--executions-per-month N] [--no-bridge]',
  summary: 'make or change a plan; no number: no limit',
  options: {
    name: { type: 'string' },
    'requests-per-minute': { type: 'string' },
    'executions-per-month': { type: 'string' },
    'no-bridge': { type: 'boolean' },
  },
  run: async (values, { print, withStore }) => {
    const name = checked(PlainName, 'name', required(values, 'name'));
    const limits = {
      requestsPerMinute: limit(values, 'requests-per-minute'),
      executionsPerMonth: limit(values, 'executions-per-month'),
    };
    await withStore(async (store) => {
      print(lineOf(await store.tenants.putPlan({ name, limits, bridge: values['no-bridge'] !== true })));
    });
  },
};

export const listPlans: Command = {
  usage: '',
  summary: 'print all plans',
  options: {},
  run: async (_values, { print, withStore }) => {
    await withStore(async (store) => {
      for (const plan of await store.tenants.listPlans()) print(lineOf(plan));
    });
  },
};

export const assignPlan: Command = {
  usage: '--tenant NAME --plan N',
  summary: 'give a tenant this plan',
  options: { tenant: { type: 'string' }, plan: { type: 'string' } },
  run: async (values, { print, withStore }) => {
    const plan = required(values, 'plan');
    await withStore(async (store) => {
      const { tenantId, name } = await tenantNamed(store, required(values, 'tenant'));
      if (!(await store.tenants.assignPlan(tenantId, plan, COMMAND_LINE)))
        throw new CommandError('--plan names no plan: `plan list` prints all');
      print(`${name}: ${plan}`);
    });
  },
};

/** Null, no limit, when it is left out. */
function limit(values: OptionValues, name: string): number | null {
  const value = values[name];
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^[1-9]\d{0,8}$/.test(value)) {
    throw new CommandError(`--${name} must be a whole number, 1 to 999999999`);
  }
  return Number(value);
}

function lineOf({ name, limits, bridge }: Plan): string {
  const { requestsPerMinute, executionsPerMonth } = limits;
  return [
    name,
    `requests a minute: ${requestsPerMinute ?? 'no limit'}`,
    `executions a month: ${executionsPerMonth ?? 'no limit'}`,
    bridge ? 'with the bridge' : 'without the bridge',
  ].join(', ');
}
