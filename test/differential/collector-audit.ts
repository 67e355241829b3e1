import { readFileSync, writeFileSync } from 'node:fs';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { auditPolicy } from '../support/audit-policy.ts';

/** A write that an API server has answered. */
export interface AuditedRequest {
  /** Epoch milliseconds. */
  readonly received: number;
  readonly answered: number;
  /** The client's own name, `pod-garbage-collector`. */
  readonly agent: string;
  readonly user: string;
  readonly verb: string;
  /** `jobs.batch`. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** Of a DELETE its options, of a PATCH the patch. */
  readonly sent: Readonly<Record<string, unknown>> | undefined;
  /** The object as it is after it, or a Status when it is gone. */
  readonly answer: KubeObject | undefined;
}

/** Flags by which kube-apiserver writes down every write, in the order in which they are answered. */
export function auditFlags(policyFile: string): string[] {
  const policy = auditPolicy([
    { level: 'None', resources: [{ group: '', resources: ['events'] }] },
    { level: 'RequestResponse' },
  ]);
  writeFileSync(policyFile, JSON.stringify(policy));
  return ['--audit-log-path=audit.log', `--audit-policy-file=${policyFile}`];
}

export function readAudit(file: string): AuditedRequest[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => requestOf(JSON.parse(line)))
    .sort((a, b) => a.answered - b.answered);
}

interface AuditLine {
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number };
  readonly requestObject?: Readonly<Record<string, unknown>>;
  readonly responseObject?: KubeObject;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

function requestOf(line: AuditLine): AuditedRequest {
  const { resource = '', apiGroup = '', subresource = '' } = line.objectRef ?? {};
  const { namespace = '', name = '' } = line.objectRef ?? {};
  return {
    received: Date.parse(line.requestReceivedTimestamp),
    answered: Date.parse(line.stageTimestamp),
    agent: line.userAgent?.split('/').at(-1) ?? '',
    user: line.user.username,
    verb: line.verb,
    resource: apiGroup === '' ? resource : `${resource}.${apiGroup}`,
    subresource,
    namespace,
    name,
    code: line.responseStatus?.code ?? 0,
    sent: line.requestObject,
    answer: line.responseObject,
  };
}
