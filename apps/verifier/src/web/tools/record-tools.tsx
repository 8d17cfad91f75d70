import type { VNode } from 'preact';
import type { CertificateCheck, ArtefactCheck } from '../../check/check-result.js';
import type { Engine } from '../engine.js';
import { CompareTool } from './compare-tool.js';
import { OpeningTool } from './opening-tool.js';
import { TamperTool } from './tamper-tool.js';

export interface ToolProps {
  readonly engine: Engine;
  readonly source: Uint8Array | string;
  /** The pinned keys, as text. */
  readonly keySet: string | null;
  readonly check: CertificateCheck;
}

/** What else can be done with a certificate on this device. */
export function RecordTools({
  check,
  ...rest
}: Omit<ToolProps, 'check'> & { readonly check: ArtefactCheck }): VNode | null {
  if (check.kind !== 'certificate' || check.facts.bundleType === null) return null;
  return (
    <div class="record-tools needs-script">
      {check.facts.isConfidential && <OpeningTool {...rest} check={check} />}
      <CompareTool {...rest} check={check} />
      <TamperTool {...rest} check={check} />
    </div>
  );
}
