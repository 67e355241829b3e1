import { bootstrapTokenType, serviceAccountTokenType } from '../../kube/facts/secret.ts';
import type { ObjectFacts } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { fullJson } from '../resource-request.ts';
import { type ListedObjects, type ListOptions, listObjects } from './list-objects.ts';

export function isSecretType({ group, kind }: ResourceType): boolean {
  return group === '' && kind === 'Secret';
}

/**
 * Lists Secrets with their facts, and without their data: the server says which are of the two types
 * that matter. Only bootstrap tokens are read whole, as their end stands nowhere else.
 */
export async function listSecrets(
  client: ClusterClient,
  type: ResourceType,
  namespace: string | undefined,
  options: ListOptions,
): Promise<ListedObjects> {
  const listed = await listObjects(client, type, namespace, { ...options, facts: false });
  const facts = new Map<string, ObjectFacts>();
  for (const secretType of [serviceAccountTokenType, bootstrapTokenType]) {
    const { records } = await listObjects(client, type, namespace, {
      ...options,
      fieldSelector: `type=${secretType}`,
      facts: false,
      ...(secretType === bootstrapTokenType && { accept: fullJson }),
    });
    for (const record of records) facts.set(record.uid, record.facts ?? { secretType });
  }
  if (facts.size === 0) return listed;
  const records = listed.records.map((record) => {
    const own = facts.get(record.uid);
    return own ? { ...record, facts: own } : record;
  });
  return { ...listed, records };
}
