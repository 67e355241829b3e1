import { describe, expect, test } from 'vitest';
import { guardWithoutPod } from '../../../../src/audit/rules/guard.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

const name = 'app.kubernetes.io/name: kubectl-gc';
const component = 'app.kubernetes.io/component: guard';
const ready = (status: string) => `facts: {conditions: [{type: Ready, status: "${status}"}]}`;

describe('guard-without-pod', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        guardWithoutPod,
        `
    hooks  | ValidatingWebhookConfiguration kubectl-gc-guard | {labels: {${name}}}
    others | ValidatingWebhookConfiguration others           | {}
    named  | ValidatingWebhookConfiguration named            | {facts: {webhooks: [{name: guard.kubectl-gc.io}]}}
    other  | ValidatingWebhookConfiguration other            | {labels: {${name}}, facts: {webhooks: [{name: a.example.com}]}}
    first  | Pod guard-1 | {namespace: kubectl-gc, labels: {${name}, ${component}}}
    second | Pod guard-2 | {namespace: kubectl-gc, labels: {${name}, ${component}}}
    report | Pod report-1 | {namespace: kubectl-gc, labels: {${name}}}
    `,
        `
    none is ready | hooks; first {${ready('False')}}; second {${ready('Unknown')}}
    there are none | hooks; report {${ready('True')}}
    not where one is ready | hooks; first {${ready('False')}}; second {${ready('True')}}
    none is ready of a guard without labels | named; first {${ready('False')}}
    not of a webhook of others | others; other
    not without the guard | first {${ready('False')}}
    pods that were not read do not tell | hooks | unread: [pods]
    `,
      ),
    ).toMatchInlineSnapshot(`
    "none is ready
      ValidatingWebhookConfiguration kubectl-gc-guard: none of the Pods of the guard is ready (2)
      with Pod guard-1, Pod guard-2
      likely, $ kubectl get pods -n kubectl-gc -l app.kubernetes.io/component=guard
    there are none
      ValidatingWebhookConfiguration kubectl-gc-guard: there are no Pods of the guard
      likely, $ kubectl get pods -A -l app.kubernetes.io/component=guard
    not where one is ready
    none is ready of a guard without labels
      ValidatingWebhookConfiguration named: none of the Pods of the guard is ready (1)
      with Pod guard-1
      likely, $ kubectl get pods -n kubectl-gc -l app.kubernetes.io/component=guard
    not of a webhook of others
    not without the guard
    pods that were not read do not tell
      1 not checked: pods were not read"
  `);
  });
});
