import type { Database, SqlRow, SqlValue } from './database.js';
import { firstVisibility } from './first-visibility.js';
import { holdsStandStill, NOT_HELD } from './legal-holds.js';
import type { ProjectRegistration, ProjectStep, ProjectStore, RegisterOutcome } from '../ports/projects.js';
import { eraseLeaves, leafOf, type LogState } from './log-erasure.js';
import type { NewLeaf } from '../ports/log-leaves.js';
import { isStorable, text } from './record-rows.js';
import { retryPassing } from './retry.js';
import { StoreError } from '../ports/store-error.js';

const COLUMNS =
  'tenant_id, project_hash, registered_at, total_steps, project_json, step_hashes_json, receipt_json, signature, kid, request_id';

const REGISTER = `
  insert into projects (${COLUMNS}, visibility) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ${firstVisibility('$1')})
  on conflict (project_hash, tenant_id) do nothing returning seq`;

const FIND_BY_HASH = `
  select ${COLUMNS} from projects where project_hash = $1 and visibility = 'visible' order by seq limit 1`;

const FIND_OWN = `
  select ${COLUMNS} from projects where project_hash = $2 and tenant_id = $1 and visibility <> 'deleted'`;

export const ERASED_PROJECT =
  "visibility = 'deleted', project_json = null, step_hashes_json = null, receipt_json = null, timestamps_json = null";

export class SqlProjectStore implements ProjectStore {
  readonly #database: Database;
  readonly #log: LogState;

  constructor(database: Database, log: LogState) {
    this.#database = database;
    this.#log = log;
  }

  async registerOnce(project: ProjectRegistration, leaf?: NewLeaf): Promise<RegisterOutcome> {
    const values = [
      project.tenantId,
      project.projectHash,
      project.registeredAt,
      project.totalSteps,
      project.projectJson,
      JSON.stringify(project.stepHashes.map(({ stepId, certificateHash }) => [stepId, certificateHash])),
      project.receiptJson,
      project.signature,
      project.kid,
      project.requestId,
    ];
    if (!values.every(isStorable)) {
      throw new StoreError('STORE_ROW_REFUSED', 'project: holds NUL or a lone surrogate');
    }
    const inserted = await retryPassing(() => this.#insert(values, project, leaf));
    if (inserted.length > 0) return { registered: true };
    // Read in a separate statement after the insert, because only then the row of another transaction is visible.
    const existing = await this.findOwnByHash(project.tenantId, project.projectHash);
    // A retry after a lost commit response finds its own row. A client may repeat a request id, not also the receipt.
    const isOwn = existing?.requestId === project.requestId && existing.receiptJson === project.receiptJson;
    return isOwn ? { registered: true } : { registered: false, existing };
  }

  async #insert(
    values: readonly SqlValue[],
    { tenantId, projectHash, receiptJson }: ProjectRegistration,
    leaf: NewLeaf | undefined,
  ): Promise<readonly SqlRow[]> {
    if (leaf === undefined) return await this.#database.all(REGISTER, values);
    const kept = leafOf(leaf, {
      table: 'projects',
      condition: 'project_hash = $5 and tenant_id = $6 and receipt_json = $7',
      values: [projectHash, tenantId, receiptJson],
    });
    const [inserted = []] = await this.#database.transact([{ sql: REGISTER, values }, kept]);
    return inserted;
  }

  async findByHash(projectHash: string): Promise<ProjectRegistration | null> {
    return await this.#findOne(FIND_BY_HASH, [projectHash]);
  }

  async findOwnByHash(tenantId: string, projectHash: string): Promise<ProjectRegistration | null> {
    return await this.#findOne(FIND_OWN, [tenantId, projectHash]);
  }

  async setVisibility(
    ...[projectHash, visibility, tenantId, auditSeq]: Parameters<ProjectStore['setVisibility']>
  ): Promise<number> {
    const isDeletion = visibility === 'deleted';
    const set = isDeletion ? ERASED_PROJECT : 'visibility = $2';
    const held = isDeletion ? ` and ${NOT_HELD.projects}` : '';
    const own = tenantId === undefined ? '' : ' and tenant_id = $3';
    const values = [projectHash, visibility, ...(tenantId === undefined ? [] : [tenantId])];
    if (!values.every(isStorable)) return 0;
    const sql = `update projects set ${set}
      where project_hash = $1 and visibility <> $2 and visibility <> 'deleted'${own}${held} returning seq`;
    const guard = isDeletion ? holdsStandStill(this.#database) : [];
    const erased =
      isDeletion && auditSeq !== undefined && this.#log.hasLog
        ? eraseLeaves('projects', auditSeq, {
            condition: `project_hash = $2${tenantId === undefined ? '' : ' and tenant_id = $3'}`,
            values: [projectHash, ...(tenantId === undefined ? [] : [tenantId])],
          })
        : [];
    const all = [...guard, { sql, values }, ...erased];
    const changed = (await retryPassing(() => this.#database.transact(all))).flat();
    if (isDeletion && changed.length > 0) await this.#database.purgeErased();
    return changed.length;
  }

  async #findOne(sql: string, values: readonly string[]): Promise<ProjectRegistration | null> {
    if (!values.every(isStorable)) return null;
    const [row] = await retryPassing(() => this.#database.all(sql, values));
    return row === undefined ? null : toRegistration(row);
  }
}

function toRegistration(row: SqlRow): ProjectRegistration {
  return {
    tenantId: text(row, 'tenant_id'),
    projectHash: text(row, 'project_hash'),
    registeredAt: text(row, 'registered_at'),
    totalSteps: Number(row['total_steps']),
    projectJson: text(row, 'project_json'),
    stepHashes: parseSteps(text(row, 'step_hashes_json')),
    receiptJson: text(row, 'receipt_json'),
    signature: text(row, 'signature'),
    kid: text(row, 'kid'),
    requestId: text(row, 'request_id'),
  };
}

function parseSteps(json: string): readonly ProjectStep[] {
  const steps: unknown = JSON.parse(json);
  if (!Array.isArray(steps)) return [];
  return steps.map((step: unknown) => {
    const [stepId, certificateHash] = Array.isArray(step) ? (step as readonly unknown[]) : [];
    return { stepId: String(stepId), certificateHash: String(certificateHash) };
  });
}
