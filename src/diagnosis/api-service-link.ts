import { objectPath } from '../kube/object-path.ts';
import { apiServiceType, serviceType } from './core-types.ts';
import { evidenceOf } from './evidence.ts';
import { conditionOf, textAt } from './fields.ts';
import { deleteExactly } from './fix-step.ts';
import type { Inquiry } from './inquiry.ts';
import { type Link, link } from './link.ts';
import { readAllWhole } from './read-whole.ts';
import { asRecord } from './seen-object.ts';
import { backendsOf } from './webhook-links.ts';

/** A group version whose discovery fails: its APIService, and what stands behind it. */
export function apiServiceLink(
  inquiry: Inquiry,
  group: string,
  version: string | undefined,
  message: string,
): Link {
  const listed = readAllWhole(
    inquiry.ask({ ask: 'list', type: apiServiceType, namespace: undefined }),
  );
  const found =
    listed.state === 'read'
      ? listed.value.find(
          (one) =>
            textAt(one, 'spec.group') === group &&
            (version === undefined || textAt(one, 'spec.version') === version),
        )
      : undefined;
  const name = found ? textAt(found, 'metadata.name') : `${version ?? 'v1'}.${group}`;
  const object = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    namespace: '',
    name,
    uid: found ? textAt(found, 'metadata.uid') : '',
  };
  const condition = found && conditionOf(found, 'Available');
  const evidence = evidenceOf(listed, () =>
    condition
      ? `${name}: Available is ${textAt(condition, 'status')}, ${textAt(condition, 'reason')}: ${textAt(condition, 'message')}`
      : `${name}: no condition Available`,
  );
  const service = found && textAt(found, 'spec.service.name');
  if (!found || !service) {
    return link(
      object,
      'discovery-failed',
      'blocked',
      `which kinds ${group} serves could not be discovered: ${message}`,
      {
        rule: 'GC-74',
        evidence,
        next: `Bring the server of ${group} back.`,
      },
    );
  }
  const backends = backendsOf(inquiry, textAt(found, 'spec.service.namespace'), service);
  const where = `${textAt(found, 'spec.service.namespace')}/${service}`;
  const why =
    backends.exists === false
      ? `its Service ${where} does not exist`
      : backends.ready === false
        ? `its Service ${where} has no ready endpoint`
        : textAt(condition, 'message') || message;
  return link(object, 'api-service-down', 'blocked', `the API ${name} does not answer: ${why}`, {
    rule: 'GC-74',
    evidence: [...evidence, ...backends.evidence],
    next: `Bring the server behind ${where} back; if it was uninstalled, delete the APIService.`,
    fix:
      backends.exists === false
        ? deleteExactly(
            asRecord(found, apiServiceType),
            `delete the APIService ${name}, whose server is gone`,
            `the kinds of ${group} are not served until its server is installed again, which registers it anew`,
            objectPath(serviceType, textAt(found, 'spec.service.namespace'), service),
          )
        : undefined,
  });
}
