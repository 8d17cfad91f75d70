import { elementsOf, isJsonObject, JsonError, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { adviceFor, isFailureCode } from '../report/advice.js';
import { printable } from '../printable.js';
import type { ToolAnswer } from './run-quietly.js';

/**
 * Explains a report of `cer verify --json`: the verdict, each finding, and what to do.
 * @param text the report, as JSON
 */
export function explainReport(text: string): ToolAnswer {
  let report: JsonValue;
  try {
    report = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { path, rule } = error;
    return { text: `report: is not strict JSON: ${path === '' ? '' : `${printable(path)}: `}${rule}`, isError: true };
  }
  if (!isJsonObject(report)) return { text: 'report: must be a JSON object', isError: true };
  const status = member(report, 'status');
  if (typeof status !== 'string') return { text: 'report: has no status', isError: true };
  const findings = member(report, 'findings');
  const rows = elementsOf(findings);
  const sentences = rows.filter(isJsonObject).flatMap((finding) => {
    const code = member(finding, 'code');
    return isFailureCode(code) ? [sentenceOf(code, member(finding, 'member'), member(finding, 'detail'))] : [];
  });
  const codes = [member(report, 'code'), member(report, 'reason'), ...rows.map((row) => codeIn(row))];
  const advice = [...new Set(codes.filter(isFailureCode))].map((code) => `${code}: ${adviceFor(code)}`);
  return { text: [verdict(status, member(report, 'checks')), ...sentences, ...advice].join('\n'), isError: false };
}

function verdict(status: string, checks: JsonValue | undefined): string {
  const isSigned = isJsonObject(checks) && member(checks, 'nodeSignature') === 'PASS';
  if (status === 'VERIFIED') {
    return isSigned
      ? 'VERIFIED: unchanged since it was sealed, and signed by the node of the key set.'
      : 'VERIFIED: unchanged since it was sealed. No signature was checked, so it does not prove who sealed it.';
  }
  if (status === 'VERIFIED_CONFIDENTIAL') {
    return 'VERIFIED_CONFIDENTIAL: unchanged since it was sealed; input and output are commitments.';
  }
  if (status === 'NOT_FOUND') return 'NOT_FOUND: the node has no public record of it.';
  return 'Not verified: do not rely on it.';
}

function codeIn(row: JsonValue): JsonValue | undefined {
  return isJsonObject(row) ? member(row, 'code') : undefined;
}

function sentenceOf(code: string, name: JsonValue | undefined, detail: JsonValue | undefined): string {
  const parts = [code, name, detail].filter((part) => typeof part === 'string');
  return parts.map((part) => printable(part)).join(': ');
}
