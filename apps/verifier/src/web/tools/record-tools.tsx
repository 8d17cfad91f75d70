import type { VNode } from 'preact';
import type { ArtefactCheck } from '../../check/check-result.js';
import { CompareTool } from './compare-tool.js';
import { OpeningTool } from './opening-tool.js';
import { TamperTool } from './tamper-tool.js';
import type { ToolProps } from './tool-props.js';

/** Further tools for a certificate on this device. */
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
