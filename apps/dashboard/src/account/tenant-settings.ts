import { counted } from '@cer/cer-core/wording';
import { DEFAULT_PUBLISH_SETTINGS } from '@cer/cer-core/attest';
import type { TenantSettings } from '@cer/control-plane';

export const DEFAULT_SETTINGS: TenantSettings = {
  publish: { ...DEFAULT_PUBLISH_SETTINGS, metadata: 'none' },
  minimumProtocol: '1.2.0',
  retentionDays: null,
  visibility: 'public',
  legalHold: false,
};

/** All of the settings in one line, as the account's activity keeps them. */
export function summaryOf({ publish, minimumProtocol, retentionDays, visibility, legalHold }: TenantSettings): string {
  const { metadata, ...parts } = publish;
  const published = [
    ...Object.entries(parts).flatMap(([part, isPublished]) => (isPublished ? [part] : [])),
    ...(metadata === 'none' ? [] : [metadata === 'all' ? 'all metadata' : `metadata ${metadata.join(', ')}`]),
  ];
  return [
    `new records ${visibility}`,
    `published: ${published.length === 0 ? 'nothing more' : published.join(', ')}`,
    `at least protocol ${minimumProtocol}`,
    retentionDays === null ? 'kept indefinitely' : `kept ${counted(retentionDays, 'day')}`,
    legalHold ? 'legal hold' : 'no legal hold',
  ].join('; ');
}
