import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { Store } from '../../src/store/index.js';
import { newProject } from './new-project.js';
import { hashOf } from './new-record.js';

/** Project registrations: once per tenant and hash. */
export function projectContract(opened: () => Store): void {
  describe('registering projects', () => {
    it('keeps a first registration whole and answers a second one with it', async () => {
      const { projects } = opened();
      const first = newProject();
      expect(await projects.registerOnce(first, 'visible')).toEqual({ registered: true });
      const second = newProject({ projectHash: first.projectHash });
      expect(await projects.registerOnce(second, 'visible')).toEqual({ registered: false, existing: first });
      expect(await projects.findByHash(first.projectHash)).toEqual(first);
    });

    it('has one winner of 20 parallel registrations', async () => {
      const { projects } = opened();
      const projectHash = hashOf(randomUUID());
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => projects.registerOnce(newProject({ projectHash }), 'visible')),
      );
      expect(outcomes.filter(({ registered }) => registered)).toHaveLength(1);
    });

    it('shows the public the earliest visible registration of all tenants', async () => {
      const { projects } = opened();
      const first = newProject({ tenantId: 'tenant-z' });
      const second = newProject({ projectHash: first.projectHash });
      await projects.registerOnce(first, 'visible');
      await projects.registerOnce(second, 'visible');
      expect(await projects.findByHash(first.projectHash)).toMatchObject({ tenantId: 'tenant-z' });
      expect(await projects.setVisibility(first.projectHash, 'hidden', 'tenant-z')).toBe(1);
      expect(await projects.findByHash(first.projectHash)).toMatchObject({ tenantId: 'tenant-a' });
      expect(await projects.findOwnByHash('tenant-z', first.projectHash)).toEqual(first);
    });

    it('erases a deleted registration and does not take it again', async () => {
      const { projects } = opened();
      const project = newProject();
      await projects.registerOnce(project, 'visible');
      expect(await projects.setVisibility(project.projectHash, 'deleted')).toBe(1);
      expect(await projects.findOwnByHash('tenant-a', project.projectHash)).toBeNull();
      expect(await projects.registerOnce(newProject({ projectHash: project.projectHash }), 'visible')).toEqual({
        registered: false,
        existing: null,
      });
    });
  });
}
