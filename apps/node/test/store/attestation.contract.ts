import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { AttestationColumns, CertificateRecord, Store } from '../../src/store/index.js';
import { hashOf, newRecord } from './new-record.js';

/** Contract of replacing an attestation. */
export function attestationContract(opened: () => Store): void {
  const recorded = async (publicCerJson: string | null): Promise<CertificateRecord> => {
    const { records } = opened();
    const resealedCertificateHash = publicCerJson === null ? null : hashOf(randomUUID());
    const record = newRecord({ publicCerJson, resealedCertificateHash });
    await records.recordOnce(record);
    const read = await records.findByHash(record.certificateHash);
    if (read === null) throw new Error('the record was not kept');
    return read;
  };
  const timestamped = (record: CertificateRecord): AttestationColumns => ({
    attestationId: randomUUID(),
    attestedAt: '2026-02-02T00:00:00.000Z',
    kid: 'key-2',
    metaJson: '{"attestation":{"kid":"key-2"}}',
    publicCerJson: record.publicCerJson === null ? null : '{"meta":{"attestation":{"kid":"key-2"}}}',
  });

  describe('replacing an attestation', () => {
    it.each([null, '{"meta":{}}'])('replaces only signed content, public form %p', async (publicCer) => {
      const { records } = opened();
      const record = await recorded(publicCer);
      const next = timestamped(record);
      expect(await records.replaceAttestation(record, next)).toBe(true);
      expect(await records.findByHash(record.certificateHash)).toEqual({ ...record, ...next });
    });

    it('refuses the second of two concurrent writers', async () => {
      const { records } = opened();
      const record = await recorded('{"meta":{}}');
      const first = timestamped(record);
      expect(await records.replaceAttestation(record, first)).toBe(true);
      expect(await records.replaceAttestation(record, timestamped(record))).toBe(false);
      expect(await records.findByHash(record.certificateHash)).toMatchObject(first);
    });

    it('does not restore a deleted record', async () => {
      const { records } = opened();
      const record = await recorded(null);
      await records.setVisibility(record.certificateHash, 'deleted');
      expect(await records.replaceAttestation(record, timestamped(record))).toBe(false);
      expect(await records.findByHash(record.certificateHash)).toBeNull();
    });
  });
}
