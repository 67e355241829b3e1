import { describe } from 'vitest';
import { overdueCsr } from '../../../../src/audit/rules/credentials.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';

describe('overdue-csr', () => {
  const at = 'CertificateSigningRequest agent-1';
  const fix = '$ kubectl delete certificatesigningrequest.certificates.k8s.io/agent-1';
  const has = (type: string, more = '') =>
    `facts: {conditions: [{type: ${type}, status: "True"${more}}]}`;
  const denied = (time: string) => `csr {${has('Denied', `, lastUpdateTime: "${time}"`)}}`;
  const unknown = 'it has only conditions that the cleaner does not know';
  const due = 'it was denied an hour before, and has been due for deletion for';
  const cleaner = 'certificatesigningrequest-cleaner-controller';
  const old = 'serverVersion: v1.34.4';
  casesOfRule(
    overdueCsr,
    `csr | ${at}`,
    `
    the cleaner does not know its conditions | csr {${has('UnderReview')}} |
        | ${at}: created 2d ago, ${unknown}: UnderReview | ${fix}
    approved before v1.35 and never issued | csr {${has('Approved')}} | ${old}
        | ${at}: created 2d ago, it was approved and never issued, which the cleaner of this version does not look at | ${fix}
    issued, and neither says when nor can be read | csr {${has('Approved').slice(0, -1)}, certificate: {}}} | ${old}
        | ${at}: created 2d ago, ${unknown}: Approved | ${fix}
    the cleaner should have come | ${denied('2026-01-02T00:00:00Z')} |
        | ${at}: ${due} 22h
        | so: never collected while ${cleaner} does not get through an hourly pass: it is off, or restarts too often
        | warning, likely, ${fix}
    the cleaner is switched off | ${denied('2026-01-02T22:30:00Z')} | settings: {controllers: ["*", -csrcleaner]}
        | ${at}: ${due} 29m; ${cleaner} is switched off | ${fix}
    not one that the cleaner comes for      | ${denied('2026-01-02T22:30:00Z')}
    not one that is pending | csr {creationTimestamp: "2026-01-02T12:00:00Z", facts: {conditions: []}}
    not one that is under review since today | csr {creationTimestamp: "2026-01-02T12:00:00Z", ${has('UnderReview')}}
    `,
  );
});
