import { expect, test } from 'vitest';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { customType, servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { asked, readAt } from './diagnosed.ts';

const application = customType('applications.argoproj.io/v1alpha1 Application');
const types = new ResourceTypes([...servedTypes.all, application], { exhaustive: true });

test.each([
  ['the usual namespace', ['argocd'], true],
  ['any namespace', ['gitops'], true],
  ['several namespaces, of which it names none', ['gitops', 'other'], false],
])(
  'an object says that Argo CD recreates it, whose Application is in %s',
  async (_, namespaces, isKnown) => {
    const applications = namespaces.map((namespace) =>
      kube(
        'argoproj.io/v1alpha1 Application web',
        { namespace, uid: namespace },
        {
          spec: {
            destination: { server: 'https://kubernetes.default.svc' },
            syncPolicy: { automated: { selfHeal: true } },
          },
        },
      ),
    );
    const object = kube('v1 ConfigMap settings', {
      annotations: { 'argocd.argoproj.io/tracking-id': 'web:/ConfigMap:shop/settings' },
    });
    const type = types.find('v1', 'ConfigMap');
    if (!type) throw new Error('ConfigMap');
    const { finding } = await investigate(
      { ...asked, types },
      (inquiry) => diagnose(inquiry, { type, namespace: 'shop', name: 'settings' }),
      answerFromObjects([object, ...applications], types, readAt),
    );
    expect(finding.because.includes('recreates it')).toBe(isKnown);
  },
);
