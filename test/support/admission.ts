import type { Cluster } from './cluster.ts';

/** What admission is asked about: this change of a resource of the core group. */
const changeOf = (operation: string, resource: string) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: [operation],
  resources: [resource],
});

/** What a ValidatingWebhookConfiguration says whose webhook is asked then; nothing answers, unless `more` says who. */
export const webhookFor = (operation: string, resource: string, more: object = {}) => ({
  webhooks: [
    {
      name: 'hook.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [changeOf(operation, resource)],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...more,
    },
  ],
});

interface Denial {
  readonly operation: string;
  readonly resource: string;
  /** Must be so. */
  readonly expression: string;
  readonly message: string;
  readonly namespaceSelector?: object;
}

/** Makes a policy of this name, and what has it deny. */
export async function deny(cluster: Cluster, name: string, denial: Denial): Promise<void> {
  const { operation, resource, expression, message, namespaceSelector } = denial;
  await cluster.make(`ValidatingAdmissionPolicy ${name}`, {
    spec: {
      matchConstraints: { namespaceSelector, resourceRules: [changeOf(operation, resource)] },
      validations: [{ expression, message }],
    },
  });
  await cluster.make(`ValidatingAdmissionPolicyBinding ${name}`, {
    spec: { policyName: name, validationActions: ['Deny'] },
  });
}
