import { expect, test } from 'vitest';
import { gapWarnings } from '../../../src/output/gap-lines.ts';
import { evidenceProblem } from '../../../src/questions/why/document.ts';

test('kinds that a user may not list are one warning, with the command that prints a role', () => {
  const unread = ['pods', 'deployments.apps', 'leases.coordination.k8s.io'].map((resource) =>
    evidenceProblem({
      ...{ what: resource, resource, readAt: '2026-01-31T12:00:00Z', reason: 'forbidden' },
      couldNotRead: `${resource} is forbidden: User "dora" cannot list resource "${resource}"`,
    }),
  );
  expect(gapWarnings(unread, { command: ['why'] })).toEqual([
    'Warning: dora may not read 3 kinds, pods and deployments.apps among them',
    'To print the role: kubectl gc rbac why',
  ]);
});

test('what was not read for another reason keeps its sentence, and names no kind', () => {
  const problem = evidenceProblem({
    ...{ what: 'pods', resource: 'pods', readAt: '2026-01-31T12:00:00Z' },
    ...{ reason: 'not-in-input', couldNotRead: 'the input does not hold them' },
  });
  expect(problem.resource).toBeUndefined();
});
