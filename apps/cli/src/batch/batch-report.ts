import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { paintFor, type Paint } from '../report/paint.js';
import { printable, printableJson } from '../printable.js';
import { rows, widthOf } from '../report/lay-out.js';
import { keyRows } from '../report/sections.js';
import type { BatchCall } from './batch-settings.js';
import type { ItemResult } from './verify-item.js';

/** Maximum items in the failure report; stdout lists them all. */
const MAX_NAMED = 100;

/** Writes a line for each item as it arrives, then the summary. */
export class BatchReport {
  readonly #io: Io;
  readonly #call: BatchCall;
  readonly #paint: Paint;
  readonly #failed: ItemResult[] = [];
  readonly #startedAt: number;
  #verified = 0;
  #integrityOnly = 0;
  #failures = 0;
  #unreadable = 0;

  constructor(call: BatchCall, io: Io) {
    this.#call = call;
    this.#io = io;
    this.#paint = paintFor(io.stdout, io.env);
    this.#startedAt = io.now().getTime();
  }

  get unreadable(): number {
    return this.#unreadable;
  }

  get total(): number {
    return this.#verified + this.#integrityOnly + this.#failures + this.#unreadable;
  }

  add(result: ItemResult): void {
    this.#count(result);
    const { name, report, usage, exitCode } = result;
    const line = this.#call.asJson
      ? printableJson({ name, exitCode, ...(report ?? { usage }) }, 0)
      : this.#line(result);
    this.#io.stdout.write(`${line}\n`);
  }

  #count(result: ItemResult): void {
    if (result.exitCode === EXIT.usage) this.#unreadable += 1;
    else if (result.exitCode === EXIT.failed) {
      this.#failures += 1;
      if (this.#failed.length < MAX_NAMED) this.#failed.push(result);
    } else if (result.isAttested) this.#verified += 1;
    else this.#integrityOnly += 1;
  }

  #line({ name, report, usage, isAttested, exitCode }: ItemResult): string {
    if (report === null) return `${this.#paint.bad('unreadable')}      ${usage ?? name}`;
    const hash = report.certificateHash ?? 'no hash';
    if (exitCode === EXIT.verified) {
      return isAttested
        ? `${this.#paint.good('verified')}        ${hash}  ${name}`
        : `integrity only  ${hash}  ${name}`;
    }
    const [first] = report.findings;
    const why = first === undefined ? '' : `  ${printable(first.member)} ${printable(first.detail)}`;
    return `${this.#paint.bad('failed')}          ${hash}  ${name}  ${report.code}${why}`;
  }

  /** @param hasFailed true: stderr gets its one JSON report */
  finish(hasFailed: boolean): void {
    const { stdout, stderr, now } = this.#io;
    const counts = {
      total: this.total,
      verified: this.#verified,
      integrityOnly: this.#integrityOnly,
      failed: this.#failures,
      unreadable: this.#unreadable,
    };
    if (this.#call.asJson) stdout.write(`${printableJson({ summary: counts }, 0)}\n`);
    else {
      const ms = now().getTime() - this.#startedAt;
      const rate = ms > 0 ? `, ${Math.round((counts.total * 1000) / ms)} per second` : '';
      stdout.write(
        `\n${counts.total} checked in ${(ms / 1000).toFixed(1)} s${rate}: ${counts.verified} verified, ${counts.integrityOnly} integrity only ` +
          `(signed by no node), ${counts.failed} failed, ${counts.unreadable} unreadable\n`,
      );
      stdout.write(rows(keyRows(this.#call.keys), widthOf(stdout)));
    }
    if (hasFailed) stderr.write(`${printableJson(this.#failureReport(counts))}\n`);
  }

  #failureReport(summary: object): object {
    const worst = this.#failed.map(({ report }) => report).find((report) => report !== null);
    return {
      status: 'FAILED',
      checks: worst?.checks ?? {},
      reason: worst?.code ?? 'UNKNOWN_ERROR',
      summary,
      failed: this.#failed.map(({ name, report }) => ({
        name,
        code: report?.code ?? null,
        certificateHash: report?.certificateHash ?? null,
        findings: report?.findings ?? [],
      })),
    };
  }
}
