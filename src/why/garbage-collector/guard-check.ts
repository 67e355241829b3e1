import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { webhookConfigurationTypes } from '../../kube/core-types.ts';
import { guardWebhook } from '../../programs/deletion-approval.ts';
import { type Inquiry, listEverywhere, valueIn } from '../inquiry.ts';
import { backendsOf } from '../links/refusal-links.ts';
import { type HealthCheck, healthCheck } from './health-check.ts';

/**
 * Does something answer for the deletion guard? Nothing where none is installed. The garbage collector is never sent to
 * it, so a guard that is down is a warning: deletions of users pass without one.
 */
export function guardCheck(inquiry: Inquiry): HealthCheck[] {
  const [type] = webhookConfigurationTypes;
  return (valueIn(listEverywhere(inquiry, type)) ?? []).flatMap(({ name, facts }) =>
    (facts?.webhooks ?? [])
      .filter((webhook) => webhook.name === guardWebhook)
      .map(({ clientConfig }) => checkOf(inquiry, name, clientConfig?.service)),
  );
}

function checkOf(
  inquiry: Inquiry,
  configuration: string,
  service: { readonly namespace?: string; readonly name?: string } | undefined,
): HealthCheck {
  const { namespace = '', name } = service ?? {};
  if (name === undefined) {
    const because = `${configuration} judges deletions of users, at a URL`;
    return healthCheck('guard', 'ok', because);
  }
  const { ready, evidence } = backendsOf(inquiry, namespace, name);
  if (ready) {
    const because = `${configuration} answers, and judges deletions of users`;
    return healthCheck('guard', 'ok', because, { evidence });
  }
  const because =
    ready === false
      ? `${configuration} has no server (Service ${namespace}/${name}): deletions pass unjudged`
      : `could not determine whether ${configuration} answers (Service ${namespace}/${name})`;
  return healthCheck('guard', 'warning', because, {
    evidence,
    command: suggested(
      'To see its Pods',
      shellCommand`kubectl get pods -n ${namespace} -l app.kubernetes.io/component=guard`,
    ),
  });
}
