import { judgementsIn } from '../../../controllers/garbage-collector/judgements.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { parseApiVersion } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import type { ClassifiedReference } from '../../../snapshot/graph/classify-reference.ts';
import type { AuditRule, AuditViolation } from '../audit-rule.ts';

export const frozenObject: AuditRule = {
  id: 'frozen-object',
  title: 'An object about which the garbage collector cannot decide',
  severity: 'warning',
  consequence:
    'never collected: an owner that cannot be looked up counts as neither there nor gone',
  advice:
    'Where the API is down, bring its server back. Else decide about the object: delete it, or remove the references to keep it.',
  subjects: [],
  readsFacts: false,
  check: ({ graph }) =>
    [...judgementsIn(graph)].flatMap(([record, { action, references }]) => {
      if (action === 'frozen') return wouldBeDeleted(record, references);
      return action === 'unknown' ? whileDown(graph.snapshot.types, record, references) : [];
    }),
};

/** Garbage but for one reference; where another owner lives, the reference itself is the only fault. */
function wouldBeDeleted(
  record: ObjectRecord,
  references: readonly ClassifiedReference[],
): AuditViolation[] {
  const frozen = references.find(({ class: cls }) => cls === 'unresolvable');
  const others = references.filter(({ class: cls }) => cls !== 'unresolvable');
  if (!frozen || others.length === 0 || others.some(({ class: cls }) => cls !== 'dangling')) {
    return [];
  }
  return [
    {
      object: record,
      message: `${others.length === 1 ? 'its other owner is' : `its other ${others.length} owners are`} gone, and it would be deleted, but ${frozen.because}`,
      fix: {
        summary: 'delete it if it is not needed; else remove all of these references',
        command: shellCommand`kubectl gc owners ${addressOf(record)}`,
      },
    },
  ];
}

/**
 * The API of an owner's kind does not answer, so its kinds are unknown, to the garbage collector as
 * well.
 */
function whileDown(
  types: ResourceTypes,
  record: ObjectRecord,
  references: readonly ClassifiedReference[],
): AuditViolation[] {
  const down = references.find(
    ({ class: cls, reference }) => cls === 'unknown' && isDown(types, reference.apiVersion),
  );
  if (!down) return [];
  const { apiVersion, kind, name } = down.reference;
  return [
    {
      object: record,
      message: `it is unknown whether its owner ${kind} ${name} lives while ${apiVersion} does not answer: ${down.because}`,
      consequence: 'not collected while that API is down',
      fix: {
        summary: `bring the server of ${apiVersion} back`,
        command: shellCommand`kubectl gc why --gc`,
      },
    },
  ];
}

function isDown({ failed }: ResourceTypes, apiVersion: string): boolean {
  const parsed = parseApiVersion(apiVersion);
  return failed.some(
    ({ group, version }) =>
      group === parsed?.group && (version === undefined || version === parsed.version),
  );
}
