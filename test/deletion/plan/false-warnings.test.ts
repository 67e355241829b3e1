import { expect, test } from 'vitest';
import type { Details } from '../../support/builders.ts';
import { builderOf, clusterRole, configMap, deployment, secret } from '../../support/builders.ts';
import { namespace, told } from './told.ts';

/*
 * Objects of real installations, with what decides: of kube-prometheus (4d719f1) and cert-manager (as knative/serving
 * 98e5ef9 has it), all of which bench/false-warnings.ts deletes one by one. Its 15 warnings were read, and are true: the
 * items of the three Lists of kube-prometheus count one by one, and a definition of ServiceMonitors is none of them.
 */
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const service = builderOf('v1', 'Service');
const apiService = builderOf('apiregistration.k8s.io/v1', 'APIService');
const webhook = builderOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration');
const account = builderOf('v1', 'ServiceAccount');
const widgetOf = builderOf('example.com/v1', 'Widget');

const monitoring: Details = { namespace: 'monitoring' };
const cert: Details = { namespace: 'cert-manager' };
const asks = { namespace: 'cert-manager', name: 'cert-manager-webhook' };
const installation = [
  namespace('monitoring'),
  secret('alertmanager-main', monitoring),
  configMap('grafana-dashboard-nodes-darwin', monitoring),
  deployment('prometheus-adapter', monitoring),
  account('prometheus-adapter', monitoring),
  service('prometheus-adapter', monitoring),
  apiService('v1beta1.metrics.k8s.io', {
    facts: {
      serviceNamespace: 'monitoring',
      serviceName: 'prometheus-adapter',
      apiGroup: 'metrics.k8s.io',
      apiGroupVersion: 'v1beta1',
    },
  }),
  clusterRole('prometheus-adapter'),
  // In the place of the definitions of the operator, and their objects.
  definition('widgets.example.com'),
  definition('gadgets.example.com'),
  widgetOf('main', monitoring),
  namespace('cert-manager'),
  service('cert-manager-webhook', cert),
  deployment('cert-manager-webhook', cert),
  webhook('cert-manager-webhook', {
    facts: {
      webhooks: [
        { name: 'webhook.cert-manager.io', clientConfig: { service: asks }, failurePolicy: 'Fail' },
      ],
    },
  }),
];

test('exactly these deletions of an ordinary installation warn', () => {
  const warnings = installation.flatMap((target) =>
    told(installation, target).flatMap((line) => {
      const [severity, code] = line.split(/[ :]/);
      return severity === 'warning' ? [`${target.type.kind} ${target.name}: ${code}`] : [];
    }),
  );
  expect(warnings).toEqual([
    'Namespace monitoring: data',
    'Namespace monitoring: unserved-api',
    'Namespace monitoring: namespace-content',
    'Secret alertmanager-main: data',
    'Service prometheus-adapter: unserved-api',
    'APIService v1beta1.metrics.k8s.io: unserved-api',
    'CustomResourceDefinition widgets.example.com: custom-resources',
    'Namespace cert-manager: may-be-refused',
    'Namespace cert-manager: namespace-content',
    'Service cert-manager-webhook: may-be-refused',
  ]);
});
