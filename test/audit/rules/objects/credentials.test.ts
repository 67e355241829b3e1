import { describe, expect, test } from 'vitest';
import { overdueCsr } from '../../../../src/audit/rules/credentials.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

describe('overdue-csr', () => {
  const at = 'CertificateSigningRequest agent-1';
  const fix = '$ kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1';
  const has = (type: string, more = '') =>
    `facts: {conditions: [{type: ${type}, status: "True"${more}}]}`;
  const denied = (time: string) => `csr {${has('Denied', `, lastUpdateTime: "${time}"`)}}`;
  const unknown = 'it has only conditions that the cleaner does not know';
  const old = 'serverVersion: v1.34.4';
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        overdueCsr,
        `csr | ${at}`,
        `
    the cleaner does not know its conditions | csr {${has('UnderReview')}}
    approved before v1.35 and never issued | csr {${has('Approved')}} | ${old}
    issued, and neither says when nor can be read | csr {${has('Approved').slice(0, -1)}, certificate: {}}} | ${old}
        | ${at}: created 2d ago, ${unknown}: Approved | ${fix}
    the cleaner should have come | ${denied('2026-01-02T00:00:00Z')}
    the cleaner is switched off | ${denied('2026-01-02T22:30:00Z')} | settings: {controllers: ["*", -csrcleaner]}
    not one that the cleaner comes for | ${denied('2026-01-02T22:30:00Z')}
    not one that is pending | csr {creationTimestamp: "2026-01-02T12:00:00Z", facts: {conditions: []}}
    not one that is under review since today | csr {creationTimestamp: "2026-01-02T12:00:00Z", ${has('UnderReview')}}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "the cleaner does not know its conditions
        CertificateSigningRequest agent-1: created 2d ago, it has only conditions that the cleaner does not know: UnderReview
        $ kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1
      approved before v1.35 and never issued
        CertificateSigningRequest agent-1: created 2d ago, it was approved and never issued, which the cleaner of this version does not look at
        $ kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1
      issued, and neither says when nor can be read
        CertificateSigningRequest agent-1: created 2d ago, it has only conditions that the cleaner does not know: Approved
        $ kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1
      the cleaner should have come
        CertificateSigningRequest agent-1: it was denied an hour before, and has been due for deletion for 22h
        so: never collected while certificatesigningrequest-cleaner-controller does not get through an hourly pass: it is off, or restarts too often
        warning, likely, $ kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1
      the cleaner is switched off
        CertificateSigningRequest agent-1: it was denied an hour before, and has been due for deletion for 29m; certificatesigningrequest-cleaner-controller is switched off
        $ kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1
      not one that the cleaner comes for
      not one that is pending
      not one that is under review since today"
    `);
  });
});
