import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { Store } from '../../src/store/index.js';
import { newProject } from './new-project.js';
import { hashOf } from './new-record.js';

/** Contract of project registrations: one per tenant and hash. */
export function projectContract(opened: () => Store): void {
  describe('registering projects', () => {
    it('returns the first registration for a second one', async () => {
      const { projects } = opened();
      const first = newProject();
      expect(await projects.registerOnce(first)).toEqual({ registered: true });
      const second = newProject({ projectHash: first.projectHash });
      expect(await projects.registerOnce(second)).toEqual({ registered: false, existing: first });
      expect(await projects.findByHash(first.projectHash)).toEqual(first);
    });

    it('accepts one of 20 parallel registrations', async () => {
      const { projects } = opened();
      const projectHash = hashOf(randomUUID());
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => projects.registerOnce(newProject({ projectHash }))),
      );
      expect(outcomes.filter(({ registered }) => registered)).toHaveLength(1);
    });

    it('publishes the earliest visible registration', async () => {
      const { projects } = opened();
      const first = newProject({ tenantId: 'tenant-z' });
      const second = newProject({ projectHash: first.projectHash });
      await projects.registerOnce(first);
      await projects.registerOnce(second);
      expect(await projects.findByHash(first.projectHash)).toMatchObject({ tenantId: 'tenant-z' });
      expect(await projects.setVisibility(first.projectHash, 'hidden', 'tenant-z')).toBe(1);
      expect(await projects.findByHash(first.projectHash)).toMatchObject({ tenantId: 'tenant-a' });
      expect(await projects.findOwnByHash('tenant-z', first.projectHash)).toEqual(first);
    });

    it('erases a registration and refuses it again', async () => {
      const { projects } = opened();
      const project = newProject();
      await projects.registerOnce(project);
      expect(await projects.setVisibility(project.projectHash, 'deleted')).toBe(1);
      expect(await projects.findOwnByHash('tenant-a', project.projectHash)).toBeNull();
      expect(await projects.registerOnce(newProject({ projectHash: project.projectHash }))).toEqual({
        registered: false,
        existing: null,
      });
    });
  });
}
